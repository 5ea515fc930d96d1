package acctest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// NewServedWorkdir is [NewWorkdir] with a provider that is served in this
// process, with the guard around it, for as long as the test lasts: for what a
// test has to see or replace inside of the provider. All commands speak to the
// same one.
func NewServedWorkdir(tb testing.TB, name string, build func() (provider.Interface, error)) *Workdir {
	tb.Helper()
	w := NewWorkdir(tb, filepath.Join(tb.TempDir(), programPrefix+name))
	server, err := Factories(name, build)[name]()
	if err != nil {
		tb.Fatal(err)
	}
	source := Namespace + "/" + name
	ctx, stop := context.WithCancel(context.Background())
	started, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	served := make(chan error, 1)
	go func() {
		served <- tf6server.Serve(w.RegistryHost()+"/"+source, func() tfplugin.ProviderServer { return server },
			tf6server.WithDebug(ctx, started, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	}()
	tb.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			tb.Error(err)
		}
	})
	select {
	case config := <-started:
		text, err := tfprotov6.ReattachText(map[string]*plugin.ReattachConfig{source: config})
		if err != nil {
			tb.Fatal(err)
		}
		w.Env = append(w.Env, "TF_REATTACH_PROVIDERS="+text)
	case err := <-served:
		served <- nil
		tb.Fatalf("the server ended before it was ready: %v", err)
	}
	return w
}

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
	w.Serve(Namespace+"/"+name, build)
	return w
}

// Serve serves a provider of a source, as "hashicorp/local", in this process with
// the guard around it until the test ends. All commands speak to that one, until
// withdraw is called.
func (w *Workdir) Serve(source string, build func() (provider.Interface, error)) (withdraw func()) {
	tb := w.tb
	tb.Helper()
	server, err := Factories(source, build)[source]()
	if err != nil {
		tb.Fatal(err)
	}
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
		w.served[source] = config
	case err := <-served:
		served <- nil
		tb.Fatalf("the server ended before it was ready: %v", err)
	}
	return func() { delete(w.served, source) }
}

// reattach returns what a command needs in its environment to find the providers
// that are served.
func (w *Workdir) reattach() []string {
	if len(w.served) == 0 {
		return nil
	}
	text, err := tfprotov6.ReattachText(w.served)
	if err != nil {
		w.tb.Fatal(err)
	}
	return []string{"TF_REATTACH_PROVIDERS=" + text}
}

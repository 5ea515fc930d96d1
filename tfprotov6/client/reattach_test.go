package client_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// running returns the configuration to dial the one provider in a value of
// TF_REATTACH_PROVIDERS.
func running(tb testing.TB, value string) client.DialConfig {
	tb.Helper()
	configs, err := reattach.Parse(value)
	if err != nil || len(configs) != 1 {
		tb.Fatal(configs, err)
	}
	for _, config := range configs {
		return client.DialConfig{Reattach: config}
	}
	return client.DialConfig{}
}

// TestAttach checks that Dial attaches to a running provider, by the configuration
// that its server sends or by TF_REATTACH_PROVIDERS, and that Close leaves it
// running.
func TestAttach(t *testing.T) {
	t.Parallel()
	silent := hclog.New(&hclog.LoggerOptions{Output: io.Discard})
	for name, start := range map[string]func(ctx context.Context, started chan *plugin.ReattachConfig, closed chan struct{}) error{
		"6": func(ctx context.Context, started chan *plugin.ReattachConfig, closed chan struct{}) error {
			served, err := server.New(ctx, reporter{})
			if err != nil {
				return err
			}
			return tf6server.Serve("test/six", func() tfplugin.ProviderServer { return served },
				tf6server.WithDebug(ctx, started, closed), tf6server.WithGoPluginLogger(silent))
		},
		"5": func(ctx context.Context, started chan *plugin.ReattachConfig, closed chan struct{}) error {
			return tf5server.Serve("test/five", func() tfprotov5.ProviderServer { return five{} },
				tf5server.WithDebug(ctx, started, closed), tf5server.WithGoPluginLogger(silent))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancel(t.Context())
			started, closed, served := make(chan *plugin.ReattachConfig, 1), make(chan struct{}), make(chan error, 1)
			go func() { served <- start(ctx, started, closed) }()
			config := <-started
			defer func() {
				stop()
				<-closed
				if err := <-served; err != nil {
					t.Error(err)
				}
			}()
			if name == "5" {
				config.ProtocolVersion = 0 // servers of protocol 5 may omit it
			}
			text, err := reattach.Format(map[string]*plugin.ReattachConfig{"test/one": config})
			if err != nil {
				t.Fatal(err)
			}
			for _, config := range []client.DialConfig{{Reattach: config}, running(t, text)} {
				remote := dial(t, config)
				if answer := respondingProcess(remote); !strings.Contains(answer, "pid") {
					t.Errorf("got response %q, want a process ID", answer)
				}
				if got := remote.ProtocolVersion(); (got == 6) != (name == "6") {
					t.Errorf("got protocol version %d, want %s", got, name)
				}
				if err := remote.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

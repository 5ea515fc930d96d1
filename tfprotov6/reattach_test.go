package tfprotov6_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// running is how the one provider of TF_REATTACH_PROVIDERS is dialed.
func running(tb testing.TB, value string) tfprotov6.DialConfig {
	tb.Helper()
	configs, err := tfprotov6.ReattachProviders(value)
	if err != nil || len(configs) != 1 {
		tb.Fatal(configs, err)
	}
	for _, config := range configs {
		return tfprotov6.DialConfig{Reattach: config}
	}
	return tfprotov6.DialConfig{}
}

// A provider that runs already is attached to, with what its server says or with
// the text that people put into the environment, and goes on after that.
func TestAttach(t *testing.T) {
	t.Parallel()
	silent := hclog.New(&hclog.LoggerOptions{Output: io.Discard})
	for name, start := range map[string]func(ctx context.Context, started chan *plugin.ReattachConfig, closed chan struct{}) error{
		"6": func(ctx context.Context, started chan *plugin.ReattachConfig, closed chan struct{}) error {
			server, err := tfprotov6.NewServer(ctx, witness{fake: newFake()})
			if err != nil {
				return err
			}
			return tf6server.Serve("test/six", func() tfplugin.ProviderServer { return server },
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
				config.ProtocolVersion = 0 // as servers of that protocol have it
			}
			text, err := json.Marshal(map[string]any{"test/one": map[string]any{
				"Protocol": config.Protocol, "ProtocolVersion": config.ProtocolVersion, "Pid": config.Pid, "Test": config.Test,
				"Addr": map[string]string{"Network": config.Addr.Network(), "String": config.Addr.String()},
			}})
			if err != nil {
				t.Fatal(err)
			}
			for _, config := range []tfprotov6.DialConfig{{Reattach: config}, running(t, string(text))} {
				remote := dial(t, config)
				if answer := whoAnswers(remote); !strings.Contains(answer, "pid") {
					t.Errorf("the provider says %q", answer)
				}
				if got := remote.ProtocolVersion(); (got == 6) != (name == "6") {
					t.Errorf("the protocol is %d", got)
				}
				if err := remote.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestReattachProviders(t *testing.T) {
	t.Parallel()
	if got, err := tfprotov6.ReattachProviders(""); len(got) != 0 || err != nil {
		t.Errorf("nothing: %v, %v", got, err)
	}
	for value, want := range map[string]string{
		`{`: "read TF_REATTACH_PROVIDERS",
		`{"a":{"Addr":{"Network":"udp","String":"127.0.0.1:1"}}}`: `of a: there is no network "udp"`,
		`{"a":{"Addr":{"Network":"tcp","String":"nonsense"}}}`:    "of a: ",
	} {
		if _, err := tfprotov6.ReattachProviders(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %q", value, err, want)
		}
	}
	got, err := tfprotov6.ReattachProviders(`{"a":{"Protocol":"grpc","ProtocolVersion":6,"Pid":7,"Test":true,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if c := got["a"]; c.Protocol != plugin.ProtocolGRPC || c.ProtocolVersion != 6 || c.Pid != 7 || !c.Test || c.Addr.String() != "127.0.0.1:1" {
		t.Errorf("read %+v", c)
	}
}

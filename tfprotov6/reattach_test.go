package tfprotov6_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
			text, err := tfprotov6.ReattachText(map[string]*plugin.ReattachConfig{"test/one": config})
			if err != nil {
				t.Fatal(err)
			}
			for _, config := range []tfprotov6.DialConfig{{Reattach: config}, running(t, text)} {
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

// What is written is read as the same, and is in one form: a client of another
// kind reads these names.
func TestReattachText(t *testing.T) {
	t.Parallel()
	running := map[string]*plugin.ReattachConfig{
		"registry.terraform.io/a/b": {Protocol: plugin.ProtocolGRPC, ProtocolVersion: 6, Pid: 7, Test: true, Addr: &net.UnixAddr{Net: "unix", Name: "/tmp/it's"}},
		"c":                         {Protocol: plugin.ProtocolGRPC, ProtocolVersion: 5, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}},
	}
	text, err := tfprotov6.ReattachText(running)
	if err != nil {
		t.Fatal(err)
	}
	const form = `"c":{"Protocol":"grpc","ProtocolVersion":5,"Pid":0,"Test":false,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}`
	if !strings.Contains(text, form) {
		t.Errorf("%s does not have %s", text, form)
	}
	got, err := tfprotov6.ReattachProviders(text)
	if err != nil {
		t.Fatal(err)
	}
	byText := cmp.Comparer(func(a, b net.Addr) bool { return a.Network() == b.Network() && a.String() == b.String() })
	if diff := cmp.Diff(running, got, byText, cmpopts.IgnoreUnexported(plugin.ReattachConfig{})); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	for name, nowhere := range map[string]*plugin.ReattachConfig{"nothing": nil, "no address": {}} {
		if text, err := tfprotov6.ReattachText(map[string]*plugin.ReattachConfig{"a": nowhere}); err == nil || !strings.Contains(err.Error(), "a runs nowhere") {
			t.Errorf("%s: %q and the error %v", name, text, err)
		}
	}
}

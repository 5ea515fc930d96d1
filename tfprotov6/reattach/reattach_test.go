package reattach_test

import (
	"net"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/go-plugin"

	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

func TestParse(t *testing.T) {
	t.Parallel()
	if got, err := reattach.Parse(""); len(got) != 0 || err != nil {
		t.Errorf("empty value: got %v and error %v, want none", got, err)
	}
	for value, want := range map[string]string{
		`{`: "read TF_REATTACH_PROVIDERS",
		`{"a":{"Addr":{"Network":"udp","String":"127.0.0.1:1"}}}`: `of a: unsupported network "udp"`,
		`{"a":{"Addr":{"Network":"tcp","String":"nonsense"}}}`:    "of a: ",
	} {
		if _, err := reattach.Parse(value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", value, err, want)
		}
	}
	got, err := reattach.Parse(`{"a":{"Protocol":"grpc","ProtocolVersion":6,"Pid":7,"Test":true,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if c := got["a"]; c.Protocol != plugin.ProtocolGRPC || c.ProtocolVersion != 6 || c.Pid != 7 || !c.Test || c.Addr.String() != "127.0.0.1:1" {
		t.Errorf("got %+v, want the values of the JSON text", c)
	}
}

// TestFormat checks that the formatted value can be parsed, and that it has the field
// names that other clients expect.
func TestFormat(t *testing.T) {
	t.Parallel()
	running := map[string]*plugin.ReattachConfig{
		"registry.terraform.io/a/b": {Protocol: plugin.ProtocolGRPC, ProtocolVersion: 6, Pid: 7, Test: true, Addr: &net.UnixAddr{Net: "unix", Name: "/tmp/it's"}},
		"c":                         {Protocol: plugin.ProtocolGRPC, ProtocolVersion: 5, Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1}},
	}
	text, err := reattach.Format(running)
	if err != nil {
		t.Fatal(err)
	}
	const form = `"c":{"Protocol":"grpc","ProtocolVersion":5,"Pid":0,"Test":false,"Addr":{"Network":"tcp","String":"127.0.0.1:1"}}`
	if !strings.Contains(text, form) {
		t.Errorf("got %s, want it to contain %s", text, form)
	}
	got, err := reattach.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	byText := cmp.Comparer(func(a, b net.Addr) bool { return a.Network() == b.Network() && a.String() == b.String() })
	if diff := cmp.Diff(running, got, byText, cmpopts.IgnoreUnexported(plugin.ReattachConfig{})); diff != "" {
		t.Errorf("parsed (-want +got):\n%s", diff)
	}
	for name, config := range map[string]*plugin.ReattachConfig{"nil": nil, "no address": {}} {
		if text, err := reattach.Format(map[string]*plugin.ReattachConfig{"a": config}); err == nil || !strings.Contains(err.Error(), "a has no network address") {
			t.Errorf("%s: got %q and error %v, want an error about the network address", name, text, err)
		}
	}
}

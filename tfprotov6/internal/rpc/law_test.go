package rpc_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// lost has the fields that terraform-plugin-go's server drops, in either
// direction.
var lost = cmp.Options{
	cmpopts.IgnoreFields(tfplugin.MoveResourceStateRequest{}, "SourceIdentitySchemaVersion"),
	cmpopts.IgnoreFields(tfprotov5.MoveResourceStateRequest{}, "SourceIdentitySchemaVersion"),
	cmpopts.IgnoreFields(tfplugin.ValidateProviderConfigResponse{}, "PreparedConfig"), // not in the protocol
}

// TestEveryRPCArrives checks for each RPC of both protocols that requests and
// responses arrive unchanged through the servers of terraform-plugin-go.
func TestEveryRPCArrives(t *testing.T) {
	t.Parallel()
	f6, f5 := &fake6{}, &fake5{}
	conn := rpc.Conn{GRPC: serve(t, f6, f5)}
	p6, err6 := rpc.Provider6(conn)
	p5, err5 := rpc.Provider5(conn)
	if err6 != nil || err5 != nil {
		t.Fatal(err6, err5)
	}
	t.Run("protocol 6", func(t *testing.T) { arrives(t, p6, &f6.memory) })
	t.Run("protocol 5", func(t *testing.T) { arrives(t, p5, &f5.memory) })
}

func arrives(t *testing.T, server any, f *memory) {
	t.Helper()
	v := reflect.ValueOf(server)
	for i := range v.NumMethod() {
		name, method := v.Type().Method(i).Name, v.Method(i)
		t.Run(name, func(t *testing.T) {
			for seed := range tier.Pick[uint64](50, 10, 200) { // fewer in make ci, which uses the race detector
				m := maker{rand.New(rand.NewPCG(seed, 0))}
				req := m.element(method.Type().In(1), 6)
				answer := m.element(method.Type().Out(0), 6)
				f.answer = answer.Interface()
				out := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), req})
				if err, _ := reflect.TypeAssert[error](out[1]); err != nil {
					t.Fatalf("seed %d: %s", seed, err)
				}
				got := flat(out[0].Interface()) // the request of a stream is sent when the stream is read
				if diff := cmp.Diff(flat(req.Interface()), f.asked, lost, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("seed %d: request (-want +got):\n%s", seed, diff)
				}
				if diff := cmp.Diff(flat(answer.Interface()), got, lost, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("seed %d: response (-want +got):\n%s", seed, diff)
				}
			}
		})
	}
}

// TestProtocol5AsProtocol6 checks that a provider of protocol 5 can be used as one of
// protocol 6.
func TestProtocol5AsProtocol6(t *testing.T) {
	t.Parallel()
	f := &fake5{}
	p, err := rpc.Provider(t.Context(), rpc.Conn{GRPC: serve(t, nil, f)}, 5)
	if err != nil {
		t.Fatal(err)
	}
	f.answer = &tfprotov5.PrepareProviderConfigResponse{Diagnostics: []*tfprotov5.Diagnostic{{Summary: "five"}}}
	got, err := p.ValidateProviderConfig(t.Context(), &tfplugin.ValidateProviderConfigRequest{Config: &tfplugin.DynamicValue{JSON: []byte("{}")}})
	if err != nil || len(got.Diagnostics) != 1 || got.Diagnostics[0].Summary != "five" {
		t.Errorf("got response %+v and error %v, want the diagnostic \"five\"", got, err)
	}
	want := &tfprotov5.PrepareProviderConfigRequest{Config: &tfprotov5.DynamicValue{JSON: []byte("{}")}}
	if diff := cmp.Diff(any(want), f.asked, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	lister, ok := p.(tfplugin.ListResourceServer)
	if !ok {
		t.Fatalf("got a %T, want a tfplugin.ListResourceServer", p)
	}
	f.answer = &tfprotov5.ListResourceServerStream{Results: func(yield func(tfprotov5.ListResourceResult) bool) {
		_ = yield(tfprotov5.ListResourceResult{DisplayName: "a"}) && yield(tfprotov5.ListResourceResult{DisplayName: "b"})
	}}
	stream, err := lister.ListResource(t.Context(), &tfplugin.ListResourceRequest{Limit: 3, IncludeResource: true})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := range stream.Results {
		names = append(names, r.DisplayName)
	}
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(any(&tfprotov5.ListResourceRequest{Limit: 3, IncludeResource: true}), f.asked); diff != "" {
		t.Errorf("request of the list (-want +got):\n%s", diff)
	}
}

// TestEmptyPrivate checks that empty and missing private data stay distinct.
func TestEmptyPrivate(t *testing.T) {
	t.Parallel()
	f := &fake6{}
	p := dial6(t, f)
	for _, private := range [][]byte{nil, {}, {1}} {
		f.answer = &tfplugin.RenewEphemeralResourceResponse{Private: private}
		got, err := p.RenewEphemeralResource(t.Context(), &tfplugin.RenewEphemeralResourceRequest{Private: private})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(private, got.Private); diff != "" {
			t.Errorf("response (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(any(&tfplugin.RenewEphemeralResourceRequest{Private: private}), f.asked); diff != "" {
			t.Errorf("request (-want +got):\n%s", diff)
		}
	}
}

// TestNilRequest checks that a nil request is sent as an empty one.
func TestNilRequest(t *testing.T) {
	t.Parallel()
	f := &fake6{}
	if _, err := dial6(t, f).ReadResource(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(&tfplugin.ReadResourceRequest{}), f.asked, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestVersions checks that only versions 5 and 6 are supported.
func TestVersions(t *testing.T) {
	t.Parallel()
	for version, ok := range map[int]bool{4: false, 5: true, 6: true, 7: false} {
		if _, err := rpc.Provider(context.Background(), rpc.Conn{}, version); (err == nil) != ok {
			t.Errorf("version %d: got error %v, want supported %t", version, err, ok)
		}
	}
}

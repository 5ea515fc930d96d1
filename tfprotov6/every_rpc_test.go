package tfprotov6_test

import (
	"reflect"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// everyRPC calls each method of a server with a request set by fill, or with nil if fill is
// nil. It then calls check with the diagnostics of the response. A Go error or a panic fails the test.
func everyRPC(t *testing.T, server tfplugin.ProviderServer, fill func(req reflect.Value), check func(t *testing.T, name string, diags diag.Diagnostics)) {
	t.Helper()
	v := reflect.ValueOf(server)
	for i := range v.NumMethod() {
		name := v.Type().Method(i).Name
		t.Run(name, func(t *testing.T) {
			req := reflect.New(v.Method(i).Type().In(1).Elem())
			if fill != nil {
				fill(req.Elem())
			} else {
				req = reflect.Zero(req.Type())
			}
			out := v.Method(i).Call([]reflect.Value{reflect.ValueOf(t.Context()), req})
			if err, _ := reflect.TypeAssert[error](out[1]); err != nil {
				t.Fatalf("got the Go error %s, want diagnostics in the response", err)
			}
			check(t, name, diagnosticsOf(out[0].Interface()))
		})
	}
}

// diagnosticsOf returns the diagnostics of a response or of its stream. It returns an error that
// is not a diagnostic as the summary of a diagnostic.
func diagnosticsOf(answer any) diag.Diagnostics {
	var protos []*tfplugin.Diagnostic
	switch a := answer.(type) {
	case *tfplugin.ListResourceServerStream:
		for r := range a.Results {
			protos = append(protos, r.Diagnostics...)
		}
	case *tfplugin.InvokeActionServerStream:
		for e := range a.Events {
			if completed, ok := e.Type.(tfplugin.CompletedInvokeActionEventType); ok {
				protos = append(protos, completed.Diagnostics...)
			}
		}
	case *tfplugin.ReadStateBytesStream:
		for c := range a.Chunks {
			protos = append(protos, c.Diagnostics...)
		}
	case *tfplugin.StopProviderResponse:
		if a.Error != "" {
			return diag.Diagnostics{{Summary: a.Error}}
		}
	case *tfplugin.CallFunctionResponse:
		if a.Error != nil {
			return diag.Diagnostics{{Summary: a.Error.Text}}
		}
	default:
		protos = reflect.ValueOf(answer).Elem().FieldByName("Diagnostics").Interface().([]*tfplugin.Diagnostic)
	}
	return wire.DiagnosticsFromProto(protos)
}

// about returns a function that sets the type or function of a request.
func about(name, function string) func(reflect.Value) {
	return func(req reflect.Value) {
		for _, field := range []string{"TypeName", "ActionType", "TargetTypeName"} {
			if f := req.FieldByName(field); f.IsValid() {
				f.SetString(name)
			}
		}
		if f := req.FieldByName("Name"); f.IsValid() {
			f.SetString(function)
			req.FieldByName("Arguments").Set(reflect.ValueOf([]*tfplugin.DynamicValue{{}}))
		}
		if req.Type() == reflect.TypeFor[tfplugin.WriteStateBytesStream]() {
			req.FieldByName("Chunks").Set(reflect.ValueOf(chunksOf(&tfplugin.WriteStateBytesChunk{
				Meta: &tfplugin.WriteStateChunkMeta{TypeName: name},
			})))
		}
	}
}

// withoutProvider has the RPCs that do not call the provider.
var withoutProvider = map[string]bool{"GetMetadata": true, "GetProviderSchema": true, "GetResourceIdentitySchemas": true, "GetFunctions": true}

func serve(t *testing.T, f provider.Interface) tfplugin.ProviderServer {
	t.Helper()
	server, err := tfprotov6.NewServer(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestUnknownTypes(t *testing.T) {
	t.Parallel()
	everyRPC(t, serve(t, newFake()), about("test_unknown", "unknown"), func(t *testing.T, name string, diags diag.Diagnostics) {
		switch name {
		case "ValidateProviderConfig", "ConfigureProvider", "StopProvider":
			return
		}
		if withoutProvider[name] {
			return
		}
		if len(diags) != 1 || !diags.HasErrors() || !strings.Contains(diags.Error(), "unknown") {
			t.Errorf("got %q, want one error about the unknown name", diags)
		}
	})
}

// TestNoSchemas checks that every RPC that needs the schemas returns the errors that the
// provider returned instead of them.
func TestNoSchemas(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.schema.Diagnostics = f.schema.Diagnostics.Errorf(nil, "No schemas", "Not available.")
	f.schema.ResourceTypes, f.schema.DataSources, f.schema.EphemeralResourceTypes = nil, nil, nil
	f.schema.ListResourceTypes, f.schema.Actions, f.schema.StateStores, f.schema.Functions = nil, nil, nil, nil
	everyRPC(t, serve(t, f), about(thing, "join"), func(t *testing.T, name string, diags diag.Diagnostics) {
		if name == "StopProvider" || name == "GetResourceIdentitySchemas" {
			return
		}
		if !strings.Contains(diags.Error(), "No schemas") {
			t.Errorf("got %q, want the error of the provider", diags)
		}
	})
}

func TestPanics(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	f := newFake()
	server := serve(t, f)
	f.panics = "the password is " + secret
	everyRPC(t, server, about(thing, "join"), func(t *testing.T, name string, diags diag.Diagnostics) {
		if withoutProvider[name] {
			return
		}
		text := diags.Error()
		if len(diags) != 1 || !strings.Contains(text, "panic") || !strings.Contains(text, name) {
			t.Errorf("got %q, want one error about a panic in %s", text, name)
		}
		switch name {
		case "ValidateProviderConfig", "ConfigureProvider", "StopProvider":
		case "CallFunction":
			if !strings.Contains(text, "join") {
				t.Errorf("the text does not contain the name of the function: %q", text)
			}
		default:
			if !strings.Contains(text, thing) {
				t.Errorf("the text does not contain the name of the type: %q", text)
			}
		}
		if strings.Contains(text, secret) {
			t.Errorf("the text contains a value: %q", text)
		}
	})
}

// TestNilRequest checks that a nil request is an error, unless the RPC does not use its request.
func TestNilRequest(t *testing.T) {
	t.Parallel()
	everyRPC(t, serve(t, newFake()), nil, func(t *testing.T, name string, diags diag.Diagnostics) {
		if !withoutProvider[name] && name != "StopProvider" && !diags.HasErrors() {
			t.Errorf("got %q, want an error", diags)
		}
	})
}

// TestUndecodableRequest checks that every RPC with DynamicValue fields or arguments in its
// request rejects invalid bytes.
func TestUndecodableRequest(t *testing.T) {
	t.Parallel()
	garbage := &tfplugin.DynamicValue{MsgPack: []byte{0x81, 0xa4, 'n', 'a', 'm', 'e', 0xc1}}
	everyRPC(t, serve(t, newFake()), func(req reflect.Value) {
		about(thing, "join")(req)
		for _, f := range req.Fields() {
			if f.Type() == reflect.TypeOf(garbage) {
				f.Set(reflect.ValueOf(garbage))
			}
		}
		if f := req.FieldByName("Arguments"); f.IsValid() {
			f.Set(reflect.ValueOf([]*tfplugin.DynamicValue{garbage}))
		}
	}, func(t *testing.T, name string, diags diag.Diagnostics) {
		switch name {
		case "StopProvider", "UpgradeResourceState", "UpgradeResourceIdentity", "ImportResourceState", "MoveResourceState",
			"RenewEphemeralResource", "CloseEphemeralResource", "ReadStateBytes", "WriteStateBytes", "LockState", "UnlockState",
			"GetStates", "DeleteState":
			return // no DynamicValue field in the request
		}
		if withoutProvider[name] {
			return
		}
		if !diags.HasErrors() || !strings.Contains(diags.Error(), "cannot be decoded") {
			t.Errorf("got %q, want an error about a value that cannot be decoded", diags)
		}
	})
}

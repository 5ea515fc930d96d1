package tfprotov6_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
)

func TestSchemasOverTheWire(t *testing.T) {
	t.Parallel()
	f := newFake()
	p := viaProtocol(t, f)
	got := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	if diff := cmp.Diff(f.schema, got, same); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
	identities := p.GetResourceIdentitySchemas(t.Context(), provider.GetResourceIdentitySchemasRequest{})
	if diff := cmp.Diff(f.identities, identities, same); diff != "" {
		t.Errorf("identity schemas (-want +got):\n%s", diff)
	}
}

// TestIdentitySchemasFromEitherResponse checks that a provider may return identity
// schemas from GetProviderSchema or from GetResourceIdentitySchemas.
func TestIdentitySchemasFromEitherResponse(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(f *fake){
		"only the schemas of resources": func(f *fake) { f.identities = provider.GetResourceIdentitySchemasResponse{} },
		"only the schemas of identities": func(f *fake) {
			schema := f.schema.ResourceTypes[thing]
			schema.Identity, schema.IdentityVersion = nil, 0
			f.schema.ResourceTypes[thing] = schema
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := newFake()
			f := newFake()
			change(f)
			p := viaProtocol(t, f)
			if diff := cmp.Diff(want.schema, p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}), same); diff != "" {
				t.Errorf("schemas (-want +got):\n%s", diff)
			}
			identity := cty.ObjectVal(map[string]cty.Value{"host": cty.NullVal(cty.String), "path": cty.StringVal("/")})
			f.answer(provider.ReadResourceResponse{Identity: identity})
			got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: thing})
			if !got.Identity.RawEquals(identity) || got.Diagnostics.HasErrors() {
				t.Errorf("got identity %#v and diagnostics %q, want %#v and no errors", got.Identity, got.Diagnostics, identity)
			}
		})
	}
}

// TestMissingValue checks that a missing value is null, and that a missing identity is
// cty.NilVal.
func TestMissingValue(t *testing.T) {
	t.Parallel()
	f := newFake()
	p := viaProtocol(t, f)
	got := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{TypeName: "test_plain"})
	null := cty.NullVal(cty.Object(map[string]cty.Type{"host": cty.String}))
	if diff := cmp.Diff(provider.PlanResourceChangeResponse{PlannedState: null}, got, same); diff != "" {
		t.Errorf("response (-want +got):\n%s", diff)
	}
	want := []any{provider.PlanResourceChangeRequest{TypeName: "test_plain", PriorState: null, ProposedNewState: null, Config: null, ProviderMeta: null}}
	if diff := cmp.Diff(want, f.asked, same); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// TestPathThroughSet checks that a path through a set ends at the set.
func TestPathThroughSet(t *testing.T) {
	t.Parallel()
	f := newFake()
	element := cty.ObjectVal(map[string]cty.Value{"a": cty.True})
	f.answer(provider.PlanResourceChangeResponse{RequiresReplace: []cty.Path{cty.GetAttrPath("set").Index(element).GetAttr("a")}})
	got := viaProtocol(t, f).PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{TypeName: thing})
	if diff := cmp.Diff([]cty.Path{cty.GetAttrPath("set")}, got.RequiresReplace, cmp.Comparer(cty.Path.Equals)); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
}

// wrong is a server with invalid responses and without the optional interfaces.
type wrong struct {
	tfplugin.ProviderServer
	read    func() (*tfplugin.ReadResourceResponse, error)
	applied *tfplugin.ApplyResourceChangeResponse
}

func (w wrong) ReadResource(context.Context, *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	return w.read()
}

func (w wrong) ApplyResourceChange(context.Context, *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	return w.applied, nil
}

func (w wrong) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return nil, status.Error(codes.Unimplemented, "unknown method GetResourceIdentitySchemas")
}

func TestInvalidResponses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		read func() (*tfplugin.ReadResourceResponse, error)
		want string
	}{
		"an error":    {func() (*tfplugin.ReadResourceResponse, error) { return nil, errors.New("connection lost") }, "connection lost"},
		"no response": {func() (*tfplugin.ReadResourceResponse, error) { return nil, nil }, "returned no response"},
		"a panic":     {func() (*tfplugin.ReadResourceResponse, error) { panic("boom") }, "panic"},
		"undecodable response": {func() (*tfplugin.ReadResourceResponse, error) {
			return &tfplugin.ReadResourceResponse{NewState: &tfplugin.DynamicValue{MsgPack: []byte{1}}}, nil
		}, "new state in ReadResource of test_plain"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := tfprotov6.NewClient(wrong{ProviderServer: serve(t, newFake()), read: tt.read})
			if err != nil {
				t.Fatal(err)
			}
			got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: "test_plain"})
			if len(got.Diagnostics) != 1 || !strings.Contains(got.Diagnostics.Error(), tt.want) {
				t.Errorf("got %q, want %q", got.Diagnostics, tt.want)
			}
		})
	}
}

// TestUndecodableApplyResponse checks that the client returns the prior state if the
// response to an apply cannot be decoded.
func TestUndecodableApplyResponse(t *testing.T) {
	t.Parallel()
	p, err := tfprotov6.NewClient(wrong{
		ProviderServer: serve(t, newFake()),
		applied:        &tfplugin.ApplyResourceChangeResponse{NewState: &tfplugin.DynamicValue{MsgPack: []byte{1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	prior := plain(cty.StringVal("a"))
	got := p.ApplyResourceChange(t.Context(), provider.ApplyResourceChangeRequest{TypeName: "test_plain", PriorState: prior, PlannedState: prior})
	if !got.NewState.RawEquals(prior) || !got.Diagnostics.HasErrors() {
		t.Errorf("got state %#v and diagnostics %q, want %#v and an error", got.NewState, got.Diagnostics, prior)
	}
}

// TestServerWithoutOptionalInterfaces checks that requests for list resources, actions and state
// stores fail if the server, like an old one, does not have them, and that there are no identities.
func TestServerWithoutOptionalInterfaces(t *testing.T) {
	t.Parallel()
	p, err := tfprotov6.NewClient(wrong{ProviderServer: serve(t, newFake())})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	for name, err := range map[string]error{
		"ValidateListResourceConfig": p.ValidateListResourceConfig(ctx, provider.ValidateListResourceConfigRequest{TypeName: thing}).Diagnostics.Err(),
		"ListResource":               p.ListResource(ctx, provider.ListResourceRequest{TypeName: thing}).Diagnostics.Err(),
		"PlanAction":                 p.PlanAction(ctx, provider.PlanActionRequest{ActionType: thing}).Diagnostics.Err(),
		"InvokeAction":               p.InvokeAction(ctx, provider.InvokeActionRequest{ActionType: thing}).Diagnostics.Err(),
		"LockState":                  p.LockState(ctx, provider.LockStateRequest{TypeName: thing}).Diagnostics.Err(),
	} {
		if err == nil || !strings.Contains(err.Error(), "does not offer "+name) {
			t.Errorf("%s: got error %v, want an error that the server does not offer the RPC", name, err)
		}
	}
	if ids := p.GetResourceIdentitySchemas(ctx, provider.GetResourceIdentitySchemasRequest{}); cmp.Diff(provider.GetResourceIdentitySchemasResponse{}, ids, cmpopts.EquateEmpty()) != "" {
		t.Errorf("got identities %v, want none", ids)
	}
}

// TestClientRejectsWrongTypes checks that a value of the wrong type is not sent.
func TestClientRejectsWrongTypes(t *testing.T) {
	t.Parallel()
	f := newFake()
	p := viaProtocol(t, f)
	got := p.ReadResource(t.Context(), provider.ReadResourceRequest{TypeName: thing, PriorState: cty.True})
	if !strings.Contains(got.Diagnostics.Error(), "current state in ReadResource of "+thing) || len(f.asked) > 0 {
		t.Errorf("got %q and %d requests, want an error about the current state and no request", got.Diagnostics, len(f.asked))
	}
	call := p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: "join", Arguments: []cty.Value{cty.EmptyObjectVal}})
	if at, ok := errors.AsType[*provider.FunctionArgumentError](call.Err); !ok || at.Index != 0 {
		t.Errorf("got error %v, want one about argument 0", call.Err)
	}
	if err := p.CallFunction(t.Context(), provider.CallFunctionRequest{FunctionName: "split"}).Err; err == nil || !strings.Contains(err.Error(), `no function "split"`) {
		t.Errorf("got error %v, want one about the function split", err)
	}
}

func TestNewClient(t *testing.T) {
	t.Parallel()
	if _, err := tfprotov6.NewClient(nil); err == nil {
		t.Error("nil server: got no error, want one")
	}
	for name, schema := range map[string]func() (*tfplugin.GetProviderSchemaResponse, error){
		"error":       func() (*tfplugin.GetProviderSchemaResponse, error) { return nil, errors.New("connection lost") },
		"no response": func() (*tfplugin.GetProviderSchemaResponse, error) { return nil, nil },
		"a schema without body": func() (*tfplugin.GetProviderSchemaResponse, error) {
			return &tfplugin.GetProviderSchemaResponse{Provider: &tfplugin.Schema{}}, nil
		},
		"an action without schema": func() (*tfplugin.GetProviderSchemaResponse, error) {
			return &tfplugin.GetProviderSchemaResponse{ActionSchemas: map[string]*tfplugin.ActionSchema{"a": nil}}, nil
		},
		"a function without result": func() (*tfplugin.GetProviderSchemaResponse, error) {
			return &tfplugin.GetProviderSchemaResponse{Functions: map[string]*tfplugin.Function{"f": {}}}, nil
		},
	} {
		if _, err := tfprotov6.NewClient(schemaless{schema: schema}); err == nil || !strings.Contains(err.Error(), "get provider schema") {
			t.Errorf("%s: got error %v, want one about the schemas", name, err)
		}
	}
	if _, err := tfprotov6.NewClient(identityless{serve(t, newFake())}); err == nil || err.Error() != "get resource identity schemas: connection lost" {
		t.Errorf("failed request for the identity schemas: got error %v, want an error about the lost connection", err)
	}
}

// identityless is a server whose request for identity schemas fails.
type identityless struct{ tfplugin.ProviderServer }

func (identityless) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	return nil, errors.New("connection lost")
}

type schemaless struct {
	tfplugin.ProviderServer
	schema func() (*tfplugin.GetProviderSchemaResponse, error)
}

func (s schemaless) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	return s.schema()
}

// TestNewLike checks that a client returned by NewLike calls its own server and has the
// schemas of the given client.
func TestNewLike(t *testing.T) {
	t.Parallel()
	first := viaProtocol(t, newFake())
	second := newFake()
	server := schemaless{serve(t, second), func() (*tfplugin.GetProviderSchemaResponse, error) {
		return nil, errors.New("the schemas were requested again")
	}}
	p, err := client.NewLike(first, server)
	if err != nil {
		t.Fatal(err)
	}
	schemasOf := func(p provider.Interface) provider.GetProviderSchemaResponse {
		return p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	}
	if diff := cmp.Diff(schemasOf(first), schemasOf(p), same); diff != "" {
		t.Errorf("schemas (-want +got):\n%s", diff)
	}
	second.answer(provider.ValidateResourceConfigResponse{Diagnostics: diag.Diagnostics{{Summary: "second server"}}})
	config := cty.NullVal(newFake().schema.ResourceTypes[thing].Body.ImpliedType())
	got := p.ValidateResourceConfig(t.Context(), provider.ValidateResourceConfigRequest{TypeName: thing, Config: config})
	if len(got.Diagnostics) != 1 || got.Diagnostics[0].Summary != "second server" {
		t.Errorf("got diagnostics %v, want the diagnostic of the second server", got.Diagnostics)
	}
	for name, like := range map[string]provider.Interface{"nil": nil, "a provider that is not a client": newFake()} {
		if _, err := client.NewLike(like, server); err == nil {
			t.Errorf("NewLike for %s: got no error, want one", name)
		}
	}
	if _, err := client.NewLike(first, nil); err == nil {
		t.Error("nil server: got no error, want one")
	}
}

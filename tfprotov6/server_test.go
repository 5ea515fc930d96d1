package tfprotov6_test

import (
	"context"
	"errors"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// plain returns a value of the type test_plain.
func plain(host cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"host": host}) }

func encode(t *testing.T, v cty.Value) *tfplugin.DynamicValue {
	t.Helper()
	dv, err := wire.NewCodec(v.Type()).EncodeDynamic(v)
	if err != nil {
		t.Fatal(err)
	}
	return dv
}

func TestNewServer(t *testing.T) {
	t.Parallel()
	if _, err := tfprotov6.NewServer(t.Context(), nil); err == nil {
		t.Error("nil provider: got no error, want one")
	}
	if _, err := tfprotov6.NewServer(t.Context(), panicking{}); err == nil || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("panicking provider: got error %v, want one about a panic", err)
	}
}

// panicking panics in every method.
type panicking struct{ provider.Interface }

// TestRequestForms checks that requests may omit values or have JSON values.
func TestRequestForms(t *testing.T) {
	t.Parallel()
	null := cty.NullVal(cty.Object(map[string]cty.Type{"host": cty.String}))
	tests := map[string]struct {
		in   *tfplugin.DynamicValue
		want cty.Value
	}{
		"nil":     {nil, null},
		"empty":   {&tfplugin.DynamicValue{}, null},
		"msgpack": {encode(t, plain(cty.UnknownVal(cty.String))), plain(cty.UnknownVal(cty.String))},
		"JSON":    {&tfplugin.DynamicValue{JSON: []byte(`{"host":"a"}`)}, plain(cty.StringVal("a"))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			resp, err := serve(t, f).ReadResource(t.Context(), &tfplugin.ReadResourceRequest{TypeName: "test_plain", CurrentState: tt.in})
			if err != nil || len(resp.Diagnostics) > 0 {
				t.Fatal(err, resp.Diagnostics)
			}
			want := []any{provider.ReadResourceRequest{TypeName: "test_plain", PriorState: tt.want, ProviderMeta: null}}
			if diff := cmp.Diff(want, f.asked, same); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMissingIdentity checks that the provider gets null for a missing identity.
func TestMissingIdentity(t *testing.T) {
	t.Parallel()
	f := newFake()
	if _, err := serve(t, f).ImportResourceState(t.Context(), &tfplugin.ImportResourceStateRequest{TypeName: thing, ID: "a"}); err != nil {
		t.Fatal(err)
	}
	want := []any{provider.ImportResourceStateRequest{TypeName: thing, ID: "a", Identity: cty.NullVal(f.schema.ResourceTypes[thing].Identity.ObjectType())}}
	if diff := cmp.Diff(want, f.asked, same); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func TestErrorsHavePaths(t *testing.T) {
	t.Parallel()
	server := serve(t, newFake())
	tests := map[string]struct{ json, path, text string }{
		"wrong type of an attribute": {`{"nested":[{"b":[]}]}`, "nested[0].b", "a string is required"},
		"unknown attribute":          {`{"nested":[{"c":1}]}`, "nested[0]", `unsupported attribute "c"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resp, err := server.PlanResourceChange(t.Context(), &tfplugin.PlanResourceChangeRequest{
				TypeName: thing, Config: &tfplugin.DynamicValue{JSON: []byte(tt.json)},
			})
			if err != nil || len(resp.Diagnostics) != 1 {
				t.Fatal(err, resp.Diagnostics)
			}
			d := wire.DiagnosticsFromProto(resp.Diagnostics)[0]
			if diag.FormatPath(d.Path) != tt.path || !strings.Contains(d.Detail, tt.text) || !strings.Contains(d.Detail, "configuration in PlanResourceChange of "+thing) {
				t.Errorf("got %v, want %q at %s in the configuration", d, tt.text, tt.path)
			}
		})
	}
}

// TestApplyKeepsObject checks that the object is kept in the state after errors in an
// apply, unless its prior state cannot be decoded.
func TestApplyKeepsObject(t *testing.T) {
	t.Parallel()
	prior, planned := plain(cty.StringVal("prior")), plain(cty.UnknownVal(cty.String))
	null := cty.NullVal(prior.Type())
	wrong := cty.StringVal("not an object")
	tests := map[string]struct {
		prior, planned cty.Value
		answer         cty.Value
		panics         any
		want           cty.Value
		private        string
	}{
		"update, wrong type":      {prior: prior, planned: planned, answer: wrong, want: prior, private: "new"},
		"create, wrong type":      {prior: null, planned: planned, answer: wrong, want: plain(cty.NullVal(cty.String)), private: "new"},
		"delete, wrong type":      {prior: prior, planned: null, answer: wrong, want: prior, private: "new"},
		"update, panic":           {prior: prior, planned: planned, panics: "boom", want: prior, private: "planned"},
		"create, panic":           {prior: null, planned: planned, panics: "boom", want: null, private: "planned"},
		"update, planned garbage": {prior: prior, planned: wrong, want: prior, private: "planned"},
		"update, prior garbage":   {prior: wrong, planned: planned, want: null, private: "planned"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			f.panics = nil
			f.answer(provider.ApplyResourceChangeResponse{NewState: tt.answer, Private: []byte("new")})
			server := serve(t, f)
			f.panics = tt.panics
			resp, err := server.ApplyResourceChange(t.Context(), &tfplugin.ApplyResourceChangeRequest{
				TypeName: "test_plain", PriorState: encode(t, tt.prior), PlannedState: encode(t, tt.planned), PlannedPrivate: []byte("planned"),
			})
			if err != nil {
				t.Fatal(err)
			}
			if !wire.DiagnosticsFromProto(resp.Diagnostics).HasErrors() {
				t.Error("ApplyResourceChange: got no error, want one")
			}
			got, err := wire.NewCodec(prior.Type()).DecodeDynamic(resp.NewState)
			if err != nil || !got.RawEquals(tt.want) {
				t.Errorf("got state %#v and error %v, want %#v", got, err, tt.want)
			}
			if string(resp.Private) != tt.private {
				t.Errorf("got private data %q, want %q", resp.Private, tt.private)
			}
		})
	}
}

// TestIdentityWithoutSchema checks that an identity of a type without an identity schema
// is an error and is not sent, because clients crash on it.
func TestIdentityWithoutSchema(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.answer(provider.ReadResourceResponse{NewState: plain(cty.StringVal("a")), Identity: plain(cty.StringVal("a"))})
	resp, err := serve(t, f).ReadResource(t.Context(), &tfplugin.ReadResourceRequest{TypeName: "test_plain"})
	if err != nil {
		t.Fatal(err)
	}
	if diags := wire.DiagnosticsFromProto(resp.Diagnostics); resp.NewIdentity != nil || !strings.Contains(diags.Error(), "Identity without schema") {
		t.Errorf("ReadResource: got identity %v and diagnostics %q, want none and an error about the identity", resp.NewIdentity, diags)
	}
}

func TestRequiresReplaceOfWholeObject(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.answer(provider.PlanResourceChangeResponse{RequiresReplace: []cty.Path{{}, cty.GetAttrPath("host")}})
	resp, err := serve(t, f).PlanResourceChange(t.Context(), &tfplugin.PlanResourceChangeRequest{TypeName: "test_plain"})
	if err != nil || len(resp.RequiresReplace) != 2 || resp.RequiresReplace[0] == nil || len(resp.RequiresReplace[0].Steps()) != 0 {
		t.Errorf("PlanResourceChange: got paths %v and error %v, want an empty path and host", resp.RequiresReplace, err)
	}
}

func TestSchemaAnswers(t *testing.T) {
	t.Parallel()
	f := newFake()
	server := serve(t, f)
	first, err := server.GetProviderSchema(t.Context(), &tfplugin.GetProviderSchemaRequest{})
	if err != nil || len(first.Diagnostics) > 0 {
		t.Fatal(err, first.Diagnostics)
	}
	if again, _ := server.GetProviderSchema(t.Context(), &tfplugin.GetProviderSchemaRequest{}); again != first {
		t.Error("the schemas were converted twice")
	}
	meta, err := server.GetMetadata(t.Context(), &tfplugin.GetMetadataRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := &tfplugin.GetMetadataResponse{
		ServerCapabilities: &tfplugin.ServerCapabilities{
			GetProviderSchemaOptional: true, MoveResourceState: true, PlanDestroy: true, GenerateResourceConfig: true,
		},
		DataSources:        []tfplugin.DataSourceMetadata{{TypeName: thing}},
		Functions:          []tfplugin.FunctionMetadata{{Name: "join"}},
		Resources:          []tfplugin.ResourceMetadata{{TypeName: "test_plain"}, {TypeName: thing}},
		EphemeralResources: []tfplugin.EphemeralResourceMetadata{{TypeName: thing}},
		ListResources:      []tfplugin.ListResourceMetadata{{TypeName: thing}},
		Actions:            []tfplugin.ActionMetadata{{TypeName: thing}},
		StateStores:        []tfplugin.StateStoreMetadata{{TypeName: thing}},
	}
	if diff := cmp.Diff(want, meta); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	functions, err := server.GetFunctions(t.Context(), &tfplugin.GetFunctionsRequest{})
	if err != nil || functions.Functions["join"] == nil {
		t.Errorf("got functions %v and error %v, want join", functions, err)
	}
}

func TestInvalidSchemas(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.schema.DataSources["test_bad"] = provider.Schema{Body: &configschema.Block{Attributes: map[string]*configschema.Attribute{"a": {}}}}
	f.schema.Functions["bad"] = provider.FunctionDecl{}
	f.schema.Provider = provider.Schema{}
	resp, err := serve(t, f).GetProviderSchema(t.Context(), &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	text := wire.DiagnosticsFromProto(resp.Diagnostics).Error()
	for _, want := range []string{`data source test_bad cannot be encoded: attribute "a": the type is missing`, "function bad"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want it to contain %q", text, want)
		}
	}
	if resp.Provider == nil || resp.Provider.Block == nil {
		t.Error("the response has no provider schema, so clients reject the provider")
	}
}

// failingFunction is a provider whose functions return an error with control characters.
type failingFunction struct{ *fake }

func (failingFunction) CallFunction(context.Context, provider.CallFunctionRequest) provider.CallFunctionResponse {
	return provider.CallFunctionResponse{Err: errors.New("a\x1b]0;title\ab")}
}

// TestFunctionErrorIsPrintable checks that control characters in the error of a function are not sent.
func TestFunctionErrorIsPrintable(t *testing.T) {
	t.Parallel()
	resp, err := serve(t, failingFunction{newFake()}).CallFunction(t.Context(), &tfplugin.CallFunctionRequest{
		Name: "join", Arguments: []*tfplugin.DynamicValue{{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a]0;titleb"; resp.Error == nil || resp.Error.Text != want {
		t.Errorf("got error %+v, want the text %q", resp.Error, want)
	}
}

// TestStopErrorIsPrintable checks that the error of a stop is sent without control characters and
// without invalid UTF-8, with which gRPC cannot send a response.
func TestStopErrorIsPrintable(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.stop = errors.New("a\x1b]0;title\ab\xff")
	resp, err := serve(t, f).StopProvider(t.Context(), &tfplugin.StopProviderRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "a]0;titleb\uFFFD"; resp.Error != want {
		t.Errorf("got error %q, want %q", resp.Error, want)
	}
}

func TestFunctionArguments(t *testing.T) {
	t.Parallel()
	value := func(s string) *tfplugin.DynamicValue { return &tfplugin.DynamicValue{MsgPack: []byte(s)} }
	tests := map[string]struct {
		args  []*tfplugin.DynamicValue
		want  []cty.Value
		text  string
		index int64
	}{
		"null without bytes":    {args: []*tfplugin.DynamicValue{{}}, want: []cty.Value{cty.NullVal(cty.String)}},
		"nil for a null":        {args: []*tfplugin.DynamicValue{nil, {}}, want: []cty.Value{cty.NullVal(cty.String), cty.NullVal(cty.DynamicPseudoType)}},
		"variadic":              {args: []*tfplugin.DynamicValue{value("\xa1,"), value("\x92\xc4\x06\"bool\"\xc3")}, want: []cty.Value{cty.StringVal(","), cty.True}},
		"too few":               {text: "takes at least 1 argument, got 0", index: -1},
		"undecodable":           {args: []*tfplugin.DynamicValue{value("\x01")}, text: "a string is required", index: 0},
		"undecodable, variadic": {args: []*tfplugin.DynamicValue{value("\xa1,"), value("\xc0"), value("\xc3")}, text: "an array of a type and a value is required", index: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake()
			resp, err := serve(t, f).CallFunction(t.Context(), &tfplugin.CallFunctionRequest{Name: "join", Arguments: tt.args})
			if err != nil {
				t.Fatal(err)
			}
			if tt.text == "" {
				if resp.Error != nil {
					t.Fatal(resp.Error.Text)
				}
				if diff := cmp.Diff([]any{provider.CallFunctionRequest{FunctionName: "join", Arguments: tt.want}}, f.asked, same); diff != "" {
					t.Errorf("request (-want +got):\n%s", diff)
				}
				return
			}
			if resp.Error == nil || !strings.Contains(resp.Error.Text, tt.text) {
				t.Fatalf("got error %v, want %q", resp.Error, tt.text)
			}
			index := int64(-1)
			if resp.Error.FunctionArgument != nil {
				index = *resp.Error.FunctionArgument
			}
			if index != tt.index {
				t.Errorf("got an error about argument %d, want %d", index, tt.index)
			}
		})
	}
}

func TestStop(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.stop = errors.New("test error")
	p := viaProtocol(t, f)
	if err := p.Stop(t.Context()); err == nil || err.Error() != "test error" {
		t.Errorf("got error %v, want test error", err)
	}
	f.stop = nil
	if err := errors.Join(p.Stop(t.Context()), p.Close()); err != nil {
		t.Error(err)
	}
}

func chunksOf(chunks ...*tfplugin.WriteStateBytesChunk) iter.Seq2[*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic] {
	return func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
	}
}

package wire_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
)

var byType = cmp.Comparer(func(a, b cty.Type) bool { return a.Equals(b) })

func TestTypeRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		ty := wiretest.Type(wiretest.Rand(seed), 4)
		proto, err := wire.TypeToProto(ty)
		if err != nil {
			t.Fatal(err)
		}
		// The JSON form, which clients decode, and the Go form must represent the same type.
		got, _ := proto.MarshalJSON() //nolint:staticcheck // the encoded form
		var back cty.Type
		if err := back.UnmarshalJSON(got); err != nil || !back.Equals(ty) {
			t.Errorf("%#v is encoded as %s and decoded as %#v, error %v", ty, got, back, err)
		}
		if back, err = wire.TypeFromProto(proto); err != nil || !back.Equals(ty) {
			t.Errorf("%#v is converted back to %#v, error %v", ty, back, err)
		}
	}
	optional := cty.ObjectWithOptionalAttrs(map[string]cty.Type{"a": cty.String, "b": cty.Bool}, []string{"b"})
	proto, err := wire.TypeToProto(optional)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := wire.TypeFromProto(proto); err != nil || !back.Equals(optional) {
		t.Errorf("%#v is converted back to %#v, error %v", optional, back, err)
	}
}

func TestTypeErrors(t *testing.T) {
	t.Parallel()
	for name, ty := range map[string]cty.Type{
		"no type": cty.NilType,
		"capsule": cty.List(cty.Capsule("pipe", reflect.TypeFor[int]())),
	} {
		if _, err := wire.TypeToProto(ty); err == nil {
			t.Errorf("%s: TypeToProto returned no error", name)
		}
	}
	for name, ty := range map[string]tftypes.Type{
		"no type":                  nil,
		"a list without type":      tftypes.List{},
		"an unknown optional name": tftypes.Object{AttributeTypes: map[string]tftypes.Type{}, OptionalAttributes: map[string]struct{}{"a": {}}},
	} {
		if _, err := wire.TypeFromProto(ty); err == nil {
			t.Errorf("%s: TypeFromProto returned no error", name)
		}
	}
}

func fullBlock() *configschema.Block {
	nested := func(mode configschema.NestingMode) *configschema.Attribute {
		return &configschema.Attribute{Optional: true, NestedType: &configschema.Object{
			Nesting:    mode,
			Attributes: map[string]*configschema.Attribute{"inner": {Type: cty.Bool, Computed: true, Sensitive: true}},
		}}
	}
	block := func(mode configschema.NestingMode, maxItems int) *configschema.NestedBlock {
		return &configschema.NestedBlock{Nesting: mode, MaxItems: maxItems, Block: configschema.Block{
			Attributes: map[string]*configschema.Attribute{"inner": {Type: cty.String, Required: true}},
			BlockTypes: map[string]*configschema.NestedBlock{},
		}}
	}
	return &configschema.Block{
		Description: "A *thing*.", DescriptionKind: configschema.StringMarkdown,
		Deprecated: true, DeprecationMessage: "Use the other thing.",
		Attributes: map[string]*configschema.Attribute{
			"required":   {Type: cty.List(cty.String), Required: true, Description: "plain"},
			"optional":   {Type: cty.DynamicPseudoType, Optional: true, Computed: true, Deprecated: true, DeprecationMessage: "no"},
			"write_only": {Type: cty.String, Optional: true, WriteOnly: true, Sensitive: true},
			"single":     nested(configschema.NestingSingle),
			"list":       nested(configschema.NestingList),
			"set":        nested(configschema.NestingSet),
			"map":        nested(configschema.NestingMap),
		},
		BlockTypes: map[string]*configschema.NestedBlock{
			"b_single": block(configschema.NestingSingle, 1),
			"b_group":  block(configschema.NestingGroup, 0),
			"b_list":   block(configschema.NestingList, 5),
			"b_set":    block(configschema.NestingSet, 0),
			"b_map":    block(configschema.NestingMap, 0),
		},
	}
}

func TestSchemaRoundTrip(t *testing.T) {
	t.Parallel()
	block := fullBlock()
	proto, err := wire.SchemaToProto(3, block)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range proto.Block.Attributes[1:] {
		if a.Name < proto.Block.Attributes[i].Name {
			t.Errorf("attribute %s follows %s, want sorted names", a.Name, proto.Block.Attributes[i].Name)
		}
	}
	version, back, err := wire.SchemaFromProto(proto)
	if err != nil || version != 3 {
		t.Fatalf("got version %d and error %v, want version 3", version, err)
	}
	if diff := cmp.Diff(block, back, byType); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	// terraform-plugin-go must derive the same type of values.
	ty, err := wire.TypeFromProto(proto.ValueType())
	if err != nil {
		t.Fatal(err)
	}
	if !ty.Equals(block.ImpliedType()) {
		t.Errorf("terraform-plugin-go implies the type %#v, configschema %#v", ty, block.ImpliedType())
	}
	if proto, err := wire.SchemaToProto(1, nil); proto != nil || err != nil {
		t.Errorf("nil schema: got %v and error %v, want nil, nil", proto, err)
	}
}

// TestSchemaWithTwoTypes checks that an attribute with a type and a nested type keeps both, so
// that the validation can reject the attribute.
func TestSchemaWithTwoTypes(t *testing.T) {
	t.Parallel()
	_, block, err := wire.SchemaFromProto(&tfplugin.Schema{Block: &tfplugin.SchemaBlock{Attributes: []*tfplugin.SchemaAttribute{{
		Name: "a", Optional: true, Type: tftypes.String, NestedType: &tfplugin.SchemaObject{Nesting: tfplugin.SchemaObjectNestingModeSingle},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := block.InternalValidate(); err == nil {
		t.Error("InternalValidate returned no error for an attribute with a type and a nested type")
	}
}

func TestIdentitySchemaRoundTrip(t *testing.T) {
	t.Parallel()
	object := &configschema.Object{Nesting: configschema.NestingSingle, Attributes: map[string]*configschema.Attribute{
		"path": {Type: cty.String, Required: true, Description: "where"},
		"host": {Type: cty.List(cty.String), Optional: true},
	}}
	proto, err := wire.IdentitySchemaToProto(2, object)
	if err != nil {
		t.Fatal(err)
	}
	version, back, err := wire.IdentitySchemaFromProto(proto)
	if err != nil || version != 2 {
		t.Fatalf("got version %d and error %v, want version 2", version, err)
	}
	if diff := cmp.Diff(object, back, byType); diff != "" {
		t.Errorf("identity schema (-want +got):\n%s", diff)
	}
}

// TestSchemaErrors checks the errors for schemas that are incomplete or that the protocol or
// terraform-plugin-go does not support.
func TestSchemaErrors(t *testing.T) {
	t.Parallel()
	attribute := func(a *configschema.Attribute) *configschema.Block {
		return &configschema.Block{Attributes: map[string]*configschema.Attribute{"a": a}}
	}
	nested := func(b *configschema.NestedBlock) *configschema.Block {
		return &configschema.Block{BlockTypes: map[string]*configschema.NestedBlock{"b": b}}
	}
	for want, block := range map[string]*configschema.Block{
		`attribute "a": the type is missing`:                                                                   attribute(&configschema.Attribute{}),
		`attribute "a": the schema is missing`:                                                                 attribute(nil),
		`attribute "a": invalid nesting mode 0 for an attribute`:                                               attribute(&configschema.Attribute{NestedType: &configschema.Object{}}),
		`block type "b": the schema is missing`:                                                                nested(nil),
		`block type "b": invalid nesting mode 0`:                                                               nested(&configschema.NestedBlock{}),
		`block type "b": terraform-plugin-go cannot transmit that a block is computed; use a nested attribute`: nested(&configschema.NestedBlock{Nesting: configschema.NestingList, Block: configschema.Block{Computed: true}}),
		`block type "b": attribute "a": the type is missing`:                                                   nested(&configschema.NestedBlock{Nesting: configschema.NestingList, Block: *attribute(&configschema.Attribute{})}),
		`attribute "a": attribute "a": the protocol does not support the type pipe`:                            attribute(&configschema.Attribute{NestedType: &configschema.Object{Nesting: configschema.NestingList, Attributes: attribute(&configschema.Attribute{Type: cty.Capsule("pipe", reflect.TypeFor[int]())}).Attributes}}),
	} {
		if _, err := wire.SchemaToProto(0, block); err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	set := cty.IndexStep{Key: cty.ObjectVal(map[string]cty.Value{"a": cty.True})}
	tests := map[string]struct {
		path cty.Path
		want string
		back cty.Path
	}{
		"empty":          {nil, "", nil},
		"attribute":      {cty.GetAttrPath("a"), `AttributeName("a")`, cty.GetAttrPath("a")},
		"list":           {cty.GetAttrPath("a").IndexInt(2).GetAttr("b"), `AttributeName("a").ElementKeyInt(2).AttributeName("b")`, cty.GetAttrPath("a").IndexInt(2).GetAttr("b")},
		"map":            {cty.GetAttrPath("a").IndexString("k"), `AttributeName("a").ElementKeyString("k")`, cty.GetAttrPath("a").IndexString("k")},
		"set":            {append(cty.GetAttrPath("a"), set, cty.GetAttrStep{Name: "b"}), `AttributeName("a")`, cty.GetAttrPath("a")},
		"unknown key":    {cty.GetAttrPath("a").Index(cty.UnknownVal(cty.String)), `AttributeName("a")`, cty.GetAttrPath("a")},
		"marked key":     {cty.GetAttrPath("a").Index(cty.StringVal("k").Mark("m")), `AttributeName("a")`, cty.GetAttrPath("a")},
		"fractional key": {cty.GetAttrPath("a").Index(cty.NumberFloatVal(math.Pi)), `AttributeName("a")`, cty.GetAttrPath("a")},
		"no UTF-8":       {cty.GetAttrPath("a\xff").IndexString("k\xfe"), `AttributeName("a�").ElementKeyString("k�")`, cty.GetAttrPath("a\ufffd").IndexString("k\ufffd")},
		"no key":         {cty.GetAttrPath("a").Index(cty.NilVal), `AttributeName("a")`, cty.GetAttrPath("a")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proto := wire.PathToProto(tt.path)
			if got := proto.String(); got != tt.want {
				t.Errorf("got path %s, want %s", got, tt.want)
			}
			if back := wire.PathFromProto(proto); !back.Equals(tt.back) {
				t.Errorf("the path converted back is %#v, want %#v", back, tt.back)
			}
		})
	}
	withValue := tftypes.NewAttributePath().WithAttributeName("a").WithElementKeyValue(tftypes.NewValue(tftypes.String, "s")).WithAttributeName("b")
	if got := wire.PathFromProto(withValue); !got.Equals(cty.GetAttrPath("a")) {
		t.Errorf("a path through a set: got %#v, want the path of attribute a", got)
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	diags := diag.Diagnostics{
		{Severity: diag.Error, Summary: "s", Detail: "d", Path: cty.GetAttrPath("a").IndexInt(0)},
		{Severity: diag.Warning, Summary: "w"},
	}
	back := wire.DiagnosticsFromProto(wire.DiagnosticsToProto(diags))
	if diff := cmp.Diff(diags, back, cmp.Comparer(cty.Path.Equals)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	printed := wire.DiagnosticsToProto(diag.Diagnostics{{Summary: "a\x1b[2J\rb", Detail: "\ttitle \x1b]0;c\a\n\u009bd\xffé"}})[0]
	if printed.Summary != "a[2Jb" || printed.Detail != "\ttitle ]0;c\nd\uFFFDé" {
		t.Errorf("control characters: got %q and %q, want them removed", printed.Summary, printed.Detail)
	}
	if got := wire.DiagnosticsToProto(nil); got != nil {
		t.Errorf("no diagnostics: got %v, want nil", got)
	}
	odd := []*tfplugin.Diagnostic{nil, {Severity: tfplugin.DiagnosticSeverityInvalid, Summary: "odd"}}
	if got := wire.DiagnosticsFromProto(odd); len(got) != 1 || got.HasErrors() {
		t.Errorf("no severity: got %v, want one warning", got)
	}
}

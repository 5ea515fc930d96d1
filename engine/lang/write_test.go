package lang_test

import (
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// TestWriterKeys checks that keys that are keywords of expressions are written so that they can
// be parsed.
func TestWriterKeys(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"for", "null", "true", "false"} {
		schema := &configschema.Block{Attributes: map[string]*configschema.Attribute{"m": {Optional: true, NestedType: &configschema.Object{
			Nesting: configschema.NestingMap, Attributes: map[string]*configschema.Attribute{key: attribute(cty.String)},
		}}}}
		want := cty.ObjectVal(map[string]cty.Value{"m": cty.MapVal(map[string]cty.Value{
			key: cty.ObjectVal(map[string]cty.Value{key: cty.StringVal("x")}),
		})})
		file := hclwrite.NewEmptyFile()
		lang.Writer{}.Body(file.Body(), schema, nil, want)
		got, diags := lang.DecodeBody(body(t, string(file.Bytes())), schema, nil)
		if diags.HasErrors() || !got.RawEquals(want) {
			t.Errorf("for the key %s, got %#v with the errors %v from\n%s\nwant %#v", key, got, diags, file.Bytes(), want)
		}
	}
}

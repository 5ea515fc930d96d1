package lang_test

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// small returns the schema and the body of a typical resource: ten attributes, four of them
// set.
func small() (*configschema.Block, string) {
	schema := &configschema.Block{Attributes: map[string]*configschema.Attribute{}}
	for _, name := range []string{"path", "content", "mode", "owner", "group", "backup", "checksum", "size", "id", "host"} {
		schema.Attributes[name] = attribute(cty.String)
	}
	schema.Attributes["content"].Sensitive = true
	return schema, `
path    = "/tmp/${var.name}"
content = upper("hello")
mode    = "0644"
owner   = var.owner
`
}

// nested returns a schema with nested attributes and blocks, and a body with a dynamic block.
func nested() (*configschema.Block, string) {
	return everything(), `
s = var.name
object = { must = var.name, deep = { a = { x = "x" } } }
single { a = "a" }
list { a = "b" }
dynamic "list" {
  for_each = ["c", "d"]
  content { a = list.value }
}
map "k" { b = 1 }
`
}

var benchmarked = map[string]func() (*configschema.Block, string){"small": small, "nested": nested}

func benchContext() *hcl.EvalContext {
	return &hcl.EvalContext{
		Variables: map[string]cty.Value{"var": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("n"), "owner": cty.StringVal("o")})},
		Functions: lang.Functions(lang.FunctionOptions{}),
	}
}

func BenchmarkDecodeBody(b *testing.B) {
	for name, of := range benchmarked {
		b.Run(name, func(b *testing.B) {
			schema, text := of()
			parsed, ctx := body(b, text), benchContext()
			b.ReportAllocs()
			for b.Loop() {
				if _, diags := lang.DecodeBody(lang.ExpandDynamic(parsed, schema, ctx), schema, ctx); diags.HasErrors() {
					b.Fatal(diags)
				}
			}
		})
	}
}

func BenchmarkReferencesInBody(b *testing.B) {
	for name, of := range benchmarked {
		b.Run(name, func(b *testing.B) {
			schema, text := of()
			parsed := body(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if refs, _ := lang.ReferencesInBody(parsed, schema); len(refs) == 0 {
					b.Fatal("no references were found")
				}
			}
		})
	}
}

func BenchmarkSensitivePaths(b *testing.B) {
	for name, of := range benchmarked {
		b.Run(name, func(b *testing.B) {
			schema, text := of()
			ctx := benchContext()
			v, diags := lang.DecodeBody(lang.ExpandDynamic(body(b, text), schema, ctx), schema, ctx)
			if diags.HasErrors() {
				b.Fatal(diags)
			}
			b.ReportAllocs()
			for b.Loop() {
				schema.SensitivePaths(v, nil)
			}
		})
	}
}

func BenchmarkFunctionContext(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		lang.FunctionContext(lang.FunctionOptions{BaseDir: "x", PureOnly: true})
	}
}

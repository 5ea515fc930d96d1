package tfdiags_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

const source = `resource "posix_file" "a" {
  path = "relative/path"
  rule {
    name = "x"
  }
  tags = {
    b = 1
  }
}
output "y" {
  value = local.n
}
output "z" {
  value = (local.n > 100 &&
    local.t == local.o.a)
}
output "u" {
  value = parseint(local.s, local.l[0])
}
output "v" {
  value = local.secret + 1
}
`

var sources tfdiags.Sources = func(name string) []byte {
	if name == "main.tf" {
		return []byte(source)
	}
	return nil
}

// parsed returns the blocks of source by their last label.
func parsed(t *testing.T) map[string]*hclsyntax.Block {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(source), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	blocks := map[string]*hclsyntax.Block{}
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		blocks[b.Labels[len(b.Labels)-1]] = b
	}
	return blocks
}

// scope has the values of the names in source, and the function that source calls.
var scope = &hcl.EvalContext{
	Variables: map[string]cty.Value{"local": cty.ObjectVal(map[string]cty.Value{
		"n": cty.NumberIntVal(5), "s": cty.StringVal("a\n\"b\""),
		"t": cty.TupleVal([]cty.Value{cty.Zero}), "l": cty.ListVal([]cty.Value{cty.NumberIntVal(99)}),
		"o":      cty.ObjectVal(map[string]cty.Value{"a": cty.EmptyObjectVal}),
		"secret": cty.StringVal("hush").Mark("sensitive"),
	})},
	Functions: map[string]function.Function{"parseint": stdlib.ParseIntFunc},
}

// TestFormat checks that the text is that of OpenTofu.
func TestFormat(t *testing.T) {
	t.Parallel()
	blocks := parsed(t)
	failed := func(name, summary, detail string) tfdiags.Diagnostics {
		expr := blocks[name].Body.Attributes["value"].Expr
		return tfdiags.Diagnostics(nil).Append(&hcl.Diagnostic{Summary: summary, Detail: detail, Subject: expr.Range().Ptr(), Expression: expr, EvalContext: scope})
	}
	_, called := blocks["u"].Body.Attributes["value"].Expr.Value(scope)
	provider := func(path cty.Path, summary, detail string) tfdiags.Diagnostics {
		own := diag.Diagnostics{{Summary: summary, Detail: detail, Path: path}}
		return tfdiags.FromProvider("posix_file.a", own).InBody(blocks["a"].Body)
	}
	tests := map[string]struct {
		diags tfdiags.Diagnostics
		want  string
	}{
		"no place": {
			tfdiags.Diagnostics(nil).Errorf("", "Broken", "It is."),
			"\nError: Broken\n\nIt is.\n",
		},
		"no detail": {
			tfdiags.Diagnostics{{Summary: "Broken"}},
			"\nError: Broken\n\n",
		},
		"an object": {
			tfdiags.Diagnostics(nil).Errorf("posix_file.a", "Broken", "It is."),
			"\nError: Broken\n\n  with posix_file.a,\n\nIt is.\n",
		},
		"an argument": {
			provider(cty.GetAttrPath("path"), "Invalid value", "path relative/path is not absolute: it must start with /"),
			"\nError: Invalid value\n\n  with posix_file.a,\n  on main.tf line 2, in resource \"posix_file\" \"a\":\n   2:   path = \"relative/path\"\n\npath relative/path is not absolute: it must start with /\n",
		},
		"a missing argument": {
			provider(cty.GetAttrPath("mode"), "Missing", "x"),
			"\nError: Missing\n\n  with posix_file.a,\n  on main.tf line 1, in resource \"posix_file\" \"a\":\n   1: resource \"posix_file\" \"a\" {\n\nx\n",
		},
		"an argument of a block": {
			provider(cty.GetAttrPath("rule").IndexInt(0).GetAttr("name"), "Bad name", "x"),
			"\nError: Bad name\n\n  with posix_file.a,\n  on main.tf line 4, in resource \"posix_file\" \"a\":\n   4:     name = \"x\"\n\nx\n",
		},
		"an element of a map": {
			provider(cty.GetAttrPath("tags").IndexString("b"), "Bad tag", "x"),
			"\nError: Bad tag\n\n  with posix_file.a,\n  on main.tf line 7, in resource \"posix_file\" \"a\":\n   7:     b = 1\n\nx\n",
		},
		"long lines are wrapped, indented lines are not": {
			tfdiags.Diagnostics{{Summary: "Long", Detail: "Multi line message that is very very long indeed. Multi line message that is very very long indeed.\n  indented line that is very very long indeed. Multi line message that is very very long indeed.\n\n" + strings.Repeat("w", 90) + " and on\n"}},
			"\nError: Long\n\nMulti line message that is very very long indeed. Multi line message that is\nvery very long indeed.\n  indented line that is very very long indeed. Multi line message that is very very long indeed.\n\n" + strings.Repeat("w", 90) + "\nand on\n",
		},
		"a condition": {
			failed("z", "Module output value precondition failed", "no"),
			"\nError: Module output value precondition failed\n\n  on main.tf line 14, in output \"z\":\n  14:   value = (local.n > 100 &&\n  15:     local.t == local.o.a)\n    ├────────────────\n    │ local.n is 5\n    │ local.o.a is object with no attributes\n    │ local.t is tuple with 1 element\n\nno\n",
		},
		"a call": {
			tfdiags.Diagnostics(nil).Append(called),
			"\nError: Invalid function argument\n\n  on main.tf line 18, in output \"u\":\n  18:   value = parseint(local.s, local.l[0])\n    ├────────────────\n    │ while calling parseint(number, base)\n    │ local.l[0] is 99\n\nInvalid value for \"base\" parameter: base must be a whole number between 2 and\n62 inclusive.\n",
		},
		"sensitive values are not shown": {
			failed("v", "Invalid operand", "a number is required."),
			"\nError: Invalid operand\n\n  on main.tf line 21, in output \"v\":\n  21:   value = local.secret + 1\n\na number is required.\n",
		},
		"a missing source file": {
			tfdiags.Diagnostics{{Summary: "S", Subject: &hcl.Range{Filename: "other.tf", Start: hcl.Pos{Line: 3}}}},
			"\nError: S\n\n  on other.tf line 3:\n  (source code not available)\n\n",
		},
		"the header of a block": {
			tfdiags.Diagnostics{{Summary: "S", Subject: blocks["y"].DefRange().Ptr()}},
			"\nError: S\n\n  on main.tf line 10:\n  10: output \"y\" {\n\n",
		},
		"errors in order, without warnings": {
			append(append(failed("z", "second", ""), failed("y", "first", "")...), tfdiags.Diagnostics{
				{Summary: "zeroth"}, {Summary: "a warning", Severity: diag.Warning},
			}...),
			"\nError: zeroth\n\n" +
				"\nError: first\n\n  on main.tf line 11, in output \"y\":\n  11:   value = local.n\n    ├────────────────\n    │ local.n is 5\n\n" +
				"\nError: second\n\n  on main.tf line 14, in output \"z\":\n  14:   value = (local.n > 100 &&\n  15:     local.t == local.o.a)\n    ├────────────────\n    │ local.n is 5\n    │ local.o.a is object with no attributes\n    │ local.t is tuple with 1 element\n\n",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.diags.Format(diag.Error, sources)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

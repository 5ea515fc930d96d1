package configs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// reader turns the blocks of one module into its declarations and collects what
// is wrong with them.
type reader struct {
	opts  Options
	m     *Module
	diags hcl.Diagnostics
	// required are the explicit names of RequiredProviders, with their places.
	required map[string]hcl.Range
}

func (r *reader) add(diags hcl.Diagnostics) { r.diags = append(r.diags, diags...) }

func (r *reader) errorf(subject hcl.Range, summary, format string, args ...any) {
	r.diags = append(r.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &subject,
	})
}

// unsupported refuses a construct that would change what a run does.
func (r *reader) unsupported(subject hcl.Range, construct, instead string) {
	r.errorf(subject, "Unsupported in the test engine", "The in-process engine does not support %s. %s", construct, instead)
}

// content reads a body by its schema.
func (r *reader) content(body hcl.Body, schema *hcl.BodySchema) *hcl.BodyContent {
	content, diags := body.Content(schema)
	r.add(diags)
	return content
}

// name reports whether s is a name, and says so where it is not.
func (r *reader) name(s string, rng hcl.Range, what string) bool {
	if hclsyntax.ValidIdentifier(s) {
		return true
	}
	r.errorf(rng, "Invalid "+what+" name", "A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.")
	return false
}

// boolean is an attribute that has to be constant; without it, the default.
func (r *reader) boolean(attr *hcl.Attribute, without bool) bool {
	if attr == nil {
		return without
	}
	out := without
	r.add(gohcl.DecodeExpression(attr.Expr, nil, &out))
	return out
}

// text is a string attribute that has to be constant.
func (r *reader) text(attr *hcl.Attribute) string {
	if attr == nil {
		return ""
	}
	var out string
	r.add(gohcl.DecodeExpression(attr.Expr, nil, &out))
	return out
}

// traversals reads a list of references, such as depends_on.
func (r *reader) traversals(attr *hcl.Attribute) []hcl.Traversal {
	if attr == nil {
		return nil
	}
	exprs, diags := hcl.ExprList(attr.Expr)
	r.add(diags)
	out := make([]hcl.Traversal, 0, len(exprs))
	for _, expr := range exprs {
		expr := r.unquoted(expr)
		traversal, diags := hcl.AbsTraversalForExpr(expr)
		r.add(diags)
		if len(traversal) > 0 {
			out = append(out, traversal)
		}
	}
	return out
}

// unquoted is the reference in a quoted string, as it was written long ago and
// is still accepted; everything else is as it was.
func (r *reader) unquoted(expr hcl.Expression) hcl.Expression {
	template, ok := expr.(*hclsyntax.TemplateExpr)
	if !ok || !template.IsStringLiteral() {
		return expr
	}
	value, diags := template.Value(nil)
	if diags.HasErrors() {
		return expr
	}
	rng := template.Range()
	start := rng.Start
	start.Column++
	start.Byte++
	traversal, diags := hclsyntax.ParseTraversalAbs([]byte(value.AsString()), rng.Filename, start)
	r.add(diags)
	r.diags = append(r.diags, &hcl.Diagnostic{
		Severity: hcl.DiagWarning, Summary: "Quoted references are deprecated", Subject: &rng,
		Detail: "A reference is written without quotes here. Remove the quotes around this one.",
	})
	return &hclsyntax.ScopeTraversalExpr{Traversal: traversal, SrcRange: rng}
}

// jsonExpression is an expression that JSON has as a string, and as it was
// where it is none.
func (r *reader) jsonExpression(expr hcl.Expression) hcl.Expression {
	if !json.IsJSONExpression(expr) {
		return expr
	}
	value, diags := expr.Value(nil)
	if diags.HasErrors() || !value.IsWhollyKnown() || value.IsNull() || value.Type() != cty.String {
		return expr
	}
	start := expr.Range().Start
	start.Column++
	start.Byte++
	parsed, diags := hclsyntax.ParseExpression([]byte(value.AsString()), expr.Range().Filename, start)
	r.add(diags)
	if parsed == nil {
		return expr
	}
	return parsed
}

// quotedList is `"a", "b"`, for messages.
func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%q", name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

package configs

import (
	"fmt"

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
	// once has the blocks that a module has at most one of, by type.
	once map[string]hcl.Range
}

func (r *reader) add(diags hcl.Diagnostics) { r.diags = append(r.diags, diags...) }

func (r *reader) errorf(subject hcl.Range, summary, format string, args ...any) {
	r.diags = append(r.diags, errorf(subject, summary, format, args...))
}

func (r *reader) warnf(subject hcl.Range, summary, format string, args ...any) {
	r.diags = append(r.diags, warnf(subject, summary, format, args...))
}

func errorf(subject hcl.Range, summary, format string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &subject}
}

func warnf(subject hcl.Range, summary, format string, args ...any) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: &subject}
}

// Unsupported is the Extra of a message about a construct that Terraform or
// OpenTofu has and the engine does not: the configuration may be right.
type Unsupported struct{ Construct string }

// unsupported refuses a construct that would change what a run does.
func (r *reader) unsupported(subject hcl.Range, construct, instead string) {
	d := errorf(subject, "Not supported by the in-process engine", "The in-process engine does not support %s. %s", construct, instead)
	d.Extra = Unsupported{Construct: construct}
	r.diags = append(r.diags, d)
}

// reserved refuses a name that may mean something in the future.
func (r *reader) reserved(subject hcl.Range, what, where, name string) {
	r.errorf(subject, "Reserved "+what+" name in "+where+" block", "The %s name %q is kept free for what %s may mean by it some day.", what, name, r.opts.product())
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
	r.errorf(rng, "Invalid "+what, "A name has letters, digits, underscores and dashes, and begins with a letter or an underscore.")
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
		traversal, diags := hcl.AbsTraversalForExpr(r.unquoted(expr))
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
	traversal, diags := hclsyntax.ParseTraversalAbs([]byte(value.AsString()), rng.Filename, insideQuotes(rng))
	r.add(diags)
	r.warnf(rng, "Quoted references are deprecated", "A reference is written without quotes here. Remove the quotes around this one.")
	return &hclsyntax.ScopeTraversalExpr{Traversal: traversal, SrcRange: rng}
}

// dequoted is an expression that JSON has as a string, and what it was where it
// is none.
func (r *reader) dequoted(expr hcl.Expression) hcl.Expression {
	value, ok := jsonString(expr)
	if !ok {
		return expr
	}
	parsed, diags := hclsyntax.ParseExpression([]byte(value), expr.Range().Filename, insideQuotes(expr.Range()))
	r.add(diags)
	if parsed == nil {
		return expr
	}
	return parsed
}

// jsonString is the text of an expression that is a string in a JSON file.
func jsonString(expr hcl.Expression) (string, bool) {
	if !json.IsJSONExpression(expr) {
		return "", false
	}
	// Without an evaluation context, JSON strings are no templates.
	value, diags := expr.Value(nil)
	if diags.HasErrors() || value.IsNull() || !value.IsKnown() || value.Type() != cty.String {
		return "", false
	}
	return value.AsString(), true
}

func insideQuotes(rng hcl.Range) hcl.Pos {
	pos := rng.Start
	pos.Column++
	pos.Byte++
	return pos
}

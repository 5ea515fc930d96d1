package configs

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// reader reads the blocks of one module and collects diagnostics.
type reader struct {
	opts  Options
	m     *Module
	diags hcl.Diagnostics
	// once has the source ranges of the blocks that a module may have only once, by type.
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

// unsupported reports a construct that the engine does not support.
func (r *reader) unsupported(subject hcl.Range, construct, instead string) {
	r.errorf(subject, "Not supported by the in-process engine",
		"The in-process engine does not support %s. %s Test cases can also run with the CLI (ACCTEST_ENGINE=cli).", construct, instead)
}

// reserved reports a name that is reserved for future use.
func (r *reader) reserved(subject hcl.Range, what, where, name string) {
	r.errorf(subject, "Reserved "+what+" name in "+where+" block", "The %s name %q is reserved for use by %s in the future.", what, name, r.opts.product())
}

func (r *reader) content(body hcl.Body, schema *hcl.BodySchema) *hcl.BodyContent {
	content, diags := body.Content(schema)
	r.add(diags)
	return content
}

// name reports whether s is a valid name, and adds an error if not.
func (r *reader) name(s string, rng hcl.Range, what string) bool {
	if hclsyntax.ValidIdentifier(s) {
		return true
	}
	r.errorf(rng, "Invalid "+what, "A name must start with a letter or underscore and contain only letters, digits, underscores and dashes.")
	return false
}

// boolean returns the value of a constant attribute, or fallback if attr is nil or invalid.
func (r *reader) boolean(attr *hcl.Attribute, fallback bool) bool {
	if attr == nil {
		return fallback
	}
	out := fallback
	r.decode(attr.Expr, &out)
	return out
}

// text returns the value of a constant string attribute, or "" if attr is nil or invalid.
func (r *reader) text(attr *hcl.Attribute) string {
	if attr == nil {
		return ""
	}
	var out string
	r.decode(attr.Expr, &out)
	return out
}

// deprecated returns the message in the argument deprecated, or "" if attr is nil or invalid. In
// OpenTofu, the message must not be blank. what is the word for the argument in the summary of the error.
func (r *reader) deprecated(attr *hcl.Attribute, what string) string {
	before := len(r.diags)
	message := r.text(attr)
	if attr != nil && !r.opts.Terraform && len(r.diags) == before && strings.TrimSpace(message) == "" {
		r.errorf(attr.Expr.Range(), "Invalid `deprecated` "+what, "The message must not be blank. Say what to use instead.")
	}
	return message
}

// decode decodes a constant. For an expression that cannot be evaluated, Terraform also
// reports that its value is unsuitable.
func (r *reader) decode(expr hcl.Expression, out any) {
	if _, diags := expr.Value(nil); diags.HasErrors() && !r.opts.Terraform {
		r.add(diags)
		return
	}
	r.add(gohcl.DecodeExpression(expr, nil, out))
}

// elements returns the elements of a list, or none if attr is nil.
func (r *reader) elements(attr *hcl.Attribute) []hcl.Expression {
	if attr == nil {
		return nil
	}
	exprs, diags := hcl.ExprList(attr.Expr)
	r.add(diags)
	return exprs
}

// traversals returns a list of references, such as depends_on.
func (r *reader) traversals(attr *hcl.Attribute) []hcl.Traversal {
	var out []hcl.Traversal
	for _, expr := range r.elements(attr) {
		traversal, diags := hcl.AbsTraversalForExpr(r.unquoted(expr))
		r.add(diags)
		if len(traversal) > 0 {
			out = append(out, traversal)
		}
	}
	return out
}

// unquoted returns the reference in a quoted string, and warns of this deprecated form.
// Other expressions are returned unchanged.
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
	r.warnf(rng, "Quoted references are deprecated", "References must not be quoted. Remove the quotes.")
	return &hclsyntax.ScopeTraversalExpr{Traversal: traversal, SrcRange: rng}
}

// dequoted returns the expression in a JSON string. Other expressions are returned
// unchanged. It returns false and adds an error for an invalid expression, and for other JSON values.
func (r *reader) dequoted(expr hcl.Expression) (hcl.Expression, bool) {
	if !json.IsJSONExpression(expr) {
		return expr, true
	}
	value, ok := jsonString(expr)
	if !ok {
		summary := "Expected string expression"
		if r.opts.Terraform {
			summary = "Invalid reference expression"
		}
		r.errorf(expr.Range(), summary, "In JSON, this must be a string that contains a reference.")
		return nil, false
	}
	parsed, diags := hclsyntax.ParseExpression([]byte(value), expr.Range().Filename, insideQuotes(expr.Range()))
	r.add(diags)
	return parsed, !diags.HasErrors()
}

// jsonString returns the text of an expression that is a string in a JSON file.
func jsonString(expr hcl.Expression) (string, bool) {
	if !json.IsJSONExpression(expr) {
		return "", false
	}
	// Without an evaluation context, JSON strings are not templates.
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

package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// ProviderFunctionName returns the name of a provider's function in configurations, by
// the provider's local name.
func ProviderFunctionName(provider, function string) string {
	return "provider::" + provider + "::" + function
}

// ParseProviderFunctionName is the inverse of [ProviderFunctionName].
func ParseProviderFunctionName(name string) (provider, function string, ok bool) {
	parts := strings.Split(name, "::")
	if len(parts) != 3 || parts[0] != "provider" || parts[1] == "" || parts[2] == "" {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// ProviderFunctionsInExpr returns the sorted names of provider functions that the
// expression calls.
func ProviderFunctionsInExpr(expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	return sortedSet(functionsInExpr(expr, nil))
}

// ProviderFunctionsInBody returns the sorted names of provider functions that the body
// calls.
func ProviderFunctionsInBody(body hcl.Body) []string {
	if native, ok := body.(*hclsyntax.Body); ok {
		return sortedSet(functionsInNode(native, nil))
	}
	if body == nil || !json.IsJSONBody(body) {
		return nil
	}
	var names []string
	attributes, _ := body.JustAttributes() // in JSON, blocks are attributes, too
	for _, attribute := range attributes {
		names = functionsInExpr(attribute.Expr, names)
	}
	return sortedSet(names)
}

func sortedSet(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func functionsInExpr(expr hcl.Expression, found []string) []string {
	expr = hcl.UnwrapExpression(expr)
	if native, ok := expr.(hclsyntax.Expression); ok {
		return functionsInNode(native, found)
	}
	if json.IsJSONExpression(expr) {
		return functionsInJSON(expr, found)
	}
	return found
}

func functionsInNode(node hclsyntax.Node, found []string) []string {
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visitor returns no diagnostics
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && strings.HasPrefix(call.Name, "provider::") {
			found = append(found, call.Name)
		}
		return nil
	})
	return found
}

// functionsInJSON searches the templates in JSON strings.
func functionsInJSON(expr hcl.Expression, found []string) []string {
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		for _, pair := range pairs {
			found = functionsInJSON(pair.Value, functionsInJSON(pair.Key, found))
		}
		return found
	}
	if items, diags := hcl.ExprList(expr); !diags.HasErrors() {
		for _, item := range items {
			found = functionsInJSON(item, found)
		}
		return found
	}
	text, diags := expr.Value(nil) // without a context, a string is returned literally
	if diags.HasErrors() || text.Type() != cty.String || !text.IsKnown() || text.IsNull() {
		return found
	}
	template, diags := hclsyntax.ParseTemplate([]byte(text.AsString()), expr.Range().Filename, hcl.InitialPos)
	if diags.HasErrors() { // reported by the evaluation
		return found
	}
	return functionsInNode(template, found)
}

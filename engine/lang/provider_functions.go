package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// ProviderFunctionName is how configuration calls a function of a provider, by
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

// ProviderFunctionsInExpr is the names of the providers' functions that the
// expression calls, sorted.
func ProviderFunctionsInExpr(expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	return sortedSet(functionsInExpr(expr, nil))
}

// ProviderFunctionsInBody is the names of the providers' functions that are
// called anywhere in the body, sorted.
func ProviderFunctionsInBody(body hcl.Body) []string {
	if native, ok := body.(*hclsyntax.Body); ok {
		return sortedSet(functionsInNode(native, nil))
	}
	if body == nil || !json.IsJSONBody(body) {
		return nil
	}
	var names []string
	attributes, _ := body.JustAttributes() // in JSON, blocks are such too
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
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visit itself says nothing
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && strings.HasPrefix(call.Name, "provider::") {
			found = append(found, call.Name)
		}
		return nil
	})
	return found
}

// functionsInJSON looks into the templates that strings are in JSON.
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
	text, diags := expr.Value(nil) // without a context, a string is what is written
	if diags.HasErrors() || text.Type() != cty.String || !text.IsKnown() || text.IsNull() {
		return found
	}
	template, diags := hclsyntax.ParseTemplate([]byte(text.AsString()), expr.Range().Filename, hcl.InitialPos)
	if diags.HasErrors() { // which is reported where it is evaluated
		return found
	}
	return functionsInNode(template, found)
}

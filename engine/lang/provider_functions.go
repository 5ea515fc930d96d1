package lang

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
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
// expression calls, sorted. Only the native syntax can be searched.
func ProviderFunctionsInExpr(expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	native, ok := unwrap(expr).(hclsyntax.Expression)
	if !ok {
		return nil
	}
	return providerFunctionsIn(native)
}

// ProviderFunctionsInBody is the names of the providers' functions that are
// called anywhere in the body, sorted. Only the native syntax can be searched.
func ProviderFunctionsInBody(body hcl.Body) []string {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return nil
	}
	return providerFunctionsIn(native)
}

func providerFunctionsIn(node hclsyntax.Node) []string {
	var names []string
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visit itself says nothing
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && strings.HasPrefix(call.Name, "provider::") {
			names = append(names, call.Name)
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// unwrap is the expression as it was written.
func unwrap(expr hcl.Expression) hcl.Expression {
	for {
		wrapper, ok := expr.(interface{ UnwrapExpression() hcl.Expression })
		if !ok {
			return expr
		}
		expr = wrapper.UnwrapExpression()
	}
}

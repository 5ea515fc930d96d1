package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// builtinFunctions are the functions of the built-in provider.
var builtinFunctions = map[string]provider.FunctionDecl{
	"decode_tfvars": {Parameters: []provider.FunctionParam{{Name: "content", Type: cty.String}}, ReturnType: cty.DynamicPseudoType},
	"encode_tfvars": {Parameters: []provider.FunctionParam{{Name: "input", Type: cty.DynamicPseudoType}}, ReturnType: cty.String},
	"encode_expr":   {Parameters: []provider.FunctionParam{{Name: "expr", Type: cty.DynamicPseudoType}}, ReturnType: cty.String},
}

// CallFunction calls a function. The arguments are known.
func (p builtin) CallFunction(_ context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	var (
		v   cty.Value
		err error
	)
	switch arg := req.Arguments[0]; req.FunctionName {
	case "decode_tfvars":
		v, err = decodeVariables(arg.AsString())
	case "encode_tfvars":
		v, err = p.encodeVariables(arg)
	case "encode_expr":
		v = cty.StringVal(string(hclwrite.TokensForValue(arg).Bytes()))
	default:
		return provider.CallFunctionResponse{Err: fmt.Errorf("the built-in provider has no function %s", req.FunctionName)}
	}
	if err != nil {
		return provider.CallFunctionResponse{Err: err} // as in core, the error is not about an argument
	}
	return provider.CallFunctionResponse{Result: v}
}

// decodeVariables returns the object with the values in a variable definitions file.
func decodeVariables(content string) (cty.Value, error) {
	file, diags := hclsyntax.ParseConfig([]byte(content), "content", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	attributes, diags := file.Body.JustAttributes()
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	values := make(map[string]cty.Value, len(attributes))
	for _, name := range sortedKeys(attributes) {
		if values[name], diags = attributes[name].Expr.Value(nil); diags.HasErrors() {
			return cty.NilVal, diags
		}
	}
	return cty.ObjectVal(values), nil
}

// encodeVariables returns a variable definitions file with the attributes of an object, or with the
// elements of a map, which only Terraform accepts.
func (p builtin) encodeVariables(v cty.Value) (cty.Value, error) {
	if ty := v.Type(); !ty.IsObjectType() && !(p.terraform && ty.IsMapType()) {
		return cty.NilVal, errors.New("must be an object")
	}
	file := hclwrite.NewEmptyFile()
	values := v.AsValueMap()
	for _, name := range sortedKeys(values) {
		if !hclsyntax.ValidIdentifier(name) {
			return cty.NilVal, fmt.Errorf("%q is not a valid name of a variable", name)
		}
		file.Body().SetAttributeValue(name, values[name])
	}
	return cty.StringVal(string(file.Bytes())), nil
}

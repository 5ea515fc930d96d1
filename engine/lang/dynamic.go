package lang

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// ExpandDynamic is the body with what its dynamic blocks stand for in their
// place. ctx has what their for_each refer to.
func ExpandDynamic(body hcl.Body, schema *configschema.Block, ctx *hcl.EvalContext) hcl.Body {
	if !mayHaveDynamic(body, schema) {
		return body
	}
	return dynblock.Expand(body, ctx)
}

// mayHaveDynamic is false only where there is certainly no dynamic block: most
// bodies have none, and are then read without a layer in between.
func mayHaveDynamic(body hcl.Body, schema *configschema.Block) bool {
	if schema == nil {
		return false
	}
	native, ok := body.(*hclsyntax.Body)
	return !ok || hasDynamic(native)
}

func hasDynamic(body *hclsyntax.Body) bool {
	for _, block := range body.Blocks {
		if block.Type == "dynamic" || hasDynamic(block.Body) {
			return true
		}
	}
	return false
}

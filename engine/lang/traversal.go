package lang

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// StaticValidateTraversal returns the errors of a traversal that is invalid for every
// object of the schema, such as one to an attribute that does not exist. The traversal is
// relative to the object. Evaluation does not report these errors in the arguments of try() and can(), in
// the unused branch of a conditional, and in a for expression without elements.
func StaticValidateTraversal(schema *configschema.Block, traversal hcl.Traversal) hcl.Diagnostics {
	if len(traversal) == 0 {
		return nil
	}
	step, ok := traversal[0].(hcl.TraverseAttr)
	if !ok {
		return invalidIndexOfObject(traversal[0])
	}
	rest := traversal[1:]
	if attr := schema.Attributes[step.Name]; attr != nil {
		if len(rest) == 0 {
			return nil
		}
		_, diags := rest.TraverseRel(cty.UnknownVal(attr.ImpliedType()))
		return diags
	}
	if nested := schema.BlockTypes[step.Name]; nested != nil {
		return validateInBlocks(step.Name, nested, rest)
	}
	return invalidStep(step, "Unsupported attribute", fmt.Sprintf("This object has no attribute and no block named %q.", step.Name))
}

// validateInBlocks returns the errors of a traversal that is relative to the blocks of one
// type.
func validateInBlocks(name string, nested *configschema.NestedBlock, traversal hcl.Traversal) hcl.Diagnostics {
	if nested.Nesting == configschema.NestingSingle || nested.Nesting == configschema.NestingGroup {
		return StaticValidateTraversal(&nested.Block, traversal)
	}
	if len(traversal) == 0 {
		return nil
	}
	switch nested.Nesting { //nolint:exhaustive // any other collection has keys
	case configschema.NestingSet:
		return invalidStep(traversal[0], "Cannot index a set value",
			fmt.Sprintf("The blocks %q are a set, whose elements have no keys. Select elements with a \"for\" expression that has an \"if\" clause.", name))
	case configschema.NestingList:
		if _, ok := traversal[0].(hcl.TraverseIndex); !ok {
			return invalidStep(traversal[0], "Invalid operation",
				fmt.Sprintf("The blocks %q are a list. Select one of them by its position, such as %s[0].", name, name))
		}
	}
	return StaticValidateTraversal(&nested.Block, traversal[1:])
}

// invalidIndexOfObject returns the error of a step that is not the name of an attribute.
func invalidIndexOfObject(step hcl.Traverser) hcl.Diagnostics {
	detail := "This is an object, whose attributes are accessed with a dot and their name."
	if index, ok := step.(hcl.TraverseIndex); ok && index.Key.Type() == cty.String && hclsyntax.ValidIdentifier(index.Key.AsString()) {
		detail += fmt.Sprintf(" Write .%s instead.", index.Key.AsString())
	}
	return invalidStep(step, "Invalid index operation", detail)
}

func invalidStep(step hcl.Traverser, summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: step.SourceRange().Ptr()}}
}

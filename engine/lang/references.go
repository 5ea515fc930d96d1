package lang

import (
	"cmp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// References is what the traversals refer to, in their order. Those that refer
// to nothing give messages.
func References(traversals []hcl.Traversal) ([]Reference, hcl.Diagnostics) {
	if len(traversals) == 0 {
		return nil, nil
	}
	var diags hcl.Diagnostics
	refs := make([]Reference, 0, len(traversals))
	for _, traversal := range traversals {
		ref, more := ParseReference(traversal)
		diags = append(diags, more...)
		if !more.HasErrors() {
			refs = append(refs, ref)
		}
	}
	return refs, diags
}

// ReferencesInExpr is what the expression refers to. Names that it declares
// itself (in a for expression) are none. A nil expression has none.
func ReferencesInExpr(expr hcl.Expression) ([]Reference, hcl.Diagnostics) {
	if expr == nil {
		return nil, nil
	}
	return References(expr.Variables())
}

// ReferencesInBody is what the body refers to where the schema describes it, in
// the order of the source, in dynamic blocks too. Their iterators are none.
func ReferencesInBody(body hcl.Body, schema *configschema.Block) ([]Reference, hcl.Diagnostics) {
	if body == nil {
		return nil, nil
	}
	traversals := bodyTraversals(dynblock.WalkVariables(body), decoderOf(schema), nil)
	slices.SortStableFunc(traversals, func(a, b hcl.Traversal) int {
		ra, rb := a.SourceRange(), b.SourceRange()
		return cmp.Or(cmp.Compare(ra.Filename, rb.Filename), cmp.Compare(ra.Start.Byte, rb.Start.Byte))
	})
	return References(traversals)
}

func bodyTraversals(node dynblock.WalkVariablesNode, d *decoder, found []hcl.Traversal) []hcl.Traversal {
	here, children := node.Visit(d.content)
	found = append(found, here...)
	for _, child := range children {
		if nested := d.nested(child.BlockTypeName); nested != nil {
			found = bodyTraversals(child.Node, nested, found)
		}
	}
	return found
}

// nested is the decoder of the blocks of the name, or nil.
func (d *decoder) nested(name string) *decoder {
	for i := range d.blocks {
		if d.blocks[i].name == name {
			return d.blocks[i].body
		}
	}
	for i := range d.attributes {
		if a := &d.attributes[i]; a.name == name && a.asBlocks != nil {
			return a.asBlocks.body
		}
	}
	return nil
}

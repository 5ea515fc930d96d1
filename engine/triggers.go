package engine

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// triggered reports whether what a replace_triggered_by names changes in this
// plan: an object that is updated or replaced, or an attribute whose value differs.
func (s *scope) triggered(expr hcl.Expression) (bool, tfdiags.Diagnostics) {
	traversal, diags := s.traversal(expr)
	if diags.HasErrors() {
		return false, diags
	}
	ref, said := lang.ParseReference(traversal)
	if said.HasErrors() {
		return false, diags.Append(said)
	}
	var matches func(*plans.ResourceInstanceChange) bool
	switch subject := ref.Subject.(type) {
	case addrs.Resource:
		abs := subject.Absolute(s.module).String()
		matches = func(c *plans.ResourceInstanceChange) bool { return c.Addr.ContainingResource().String() == abs }
	case addrs.ResourceInstance:
		abs := subject.Absolute(s.module)
		matches = func(c *plans.ResourceInstanceChange) bool { return c.Addr.Equal(abs) }
	default:
		return false, at(expr.Range(), "Invalid replace_triggered_by expression", "Only resources, their instances and attributes of these can trigger a replacement.")
	}
	path, diags := pathOf(ref.Remaining)
	if diags.HasErrors() {
		return false, diags
	}
	for _, c := range s.changes.all() {
		if !matches(c) || c.Action == plans.NoOp || c.DeposedKey != "" {
			continue
		}
		if len(path) == 0 {
			if c.Action == plans.Create && s.options.Flavor == OpenTofu || c.Action == plans.Update || c.Action.IsReplace() {
				return true, nil
			}
			continue
		}
		if differs(c, path) {
			return true, nil
		}
	}
	return false, nil
}

func differs(c *plans.ResourceInstanceChange, path cty.Path) bool {
	before, _ := c.Before.UnmarkDeep()
	after, _ := c.After.UnmarkDeep()
	was, err1 := path.Apply(before)
	is, err2 := path.Apply(after)
	if err1 != nil || err2 != nil {
		return (err1 == nil) != (err2 == nil)
	}
	same := was.Equals(is)
	return !same.IsKnown() || same.False()
}

// traversal is an expression as an address; what stands in its brackets is
// evaluated.
func (s *scope) traversal(expr hcl.Expression) (hcl.Traversal, tfdiags.Diagnostics) {
	if t, diags := hcl.AbsTraversalForExpr(expr); !diags.HasErrors() {
		return t, nil
	}
	switch expr := expr.(type) {
	case *hclsyntax.IndexExpr:
		head, diags := s.traversal(expr.Collection)
		if diags.HasErrors() {
			return nil, diags
		}
		key, said := s.expr(expr.Key, cty.DynamicPseudoType)
		diags = append(diags, said...)
		if diags.HasErrors() {
			return nil, diags
		}
		key, _ = key.UnmarkDeep()
		if key.IsNull() || !key.IsKnown() {
			return nil, append(diags, at(expr.Range(), "Invalid index", "The key of this address is not known while planning.")...)
		}
		return append(slices.Clip(head), hcl.TraverseIndex{Key: key, SrcRange: expr.Range()}), diags
	case *hclsyntax.RelativeTraversalExpr:
		head, diags := s.traversal(expr.Source)
		return append(slices.Clip(head), expr.Traversal...), diags
	}
	return nil, at(expr.Range(), "Invalid address", "An address is needed here: a resource, with the keys of its instance, or an attribute of it.")
}

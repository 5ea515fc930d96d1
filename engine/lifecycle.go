package engine

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/states"
)

// ignoreChanges returns the configuration with the prior values of ignored attributes
// (docs/checks.md §9.7), and the paths of these values; for "all", that is the path of the object.
// If planned is set, config is the object that a legacy provider planned.
func (n *node) ignoreChanges(prior, config cty.Value, planned bool) (cty.Value, []cty.Path, tfdiags.Diagnostics) {
	if prior.IsNull() || config.IsNull() || n.block == nil {
		return config, nil, nil
	}
	switch lifecycle := n.block.Managed; {
	case lifecycle.IgnoreAllChanges && planned:
		return prior, []cty.Path{{}}, nil
	case lifecycle.IgnoreAllChanges:
		return n.priorAsConfig(prior), []cty.Path{{}}, nil
	}
	var kept []cty.Path
	for _, traversal := range n.block.Managed.IgnoreChanges {
		path, diags := pathOf(traversal)
		if diags.HasErrors() {
			return config, nil, diags
		}
		with, at := keepPrior(config, prior, path)
		if at != nil {
			config, kept = with, append(kept, at)
		}
	}
	return config, kept, nil
}

// ignoreMarks returns the sensitive paths of a configuration in which the values at the kept
// paths are prior values, which are as sensitive as in the prior object.
func ignoreMarks(prior states.ResourceInstanceObject, kept, sensitive []cty.Path) []cty.Path {
	for _, path := range kept {
		below := func(p cty.Path) bool { return p.HasPrefix(path) }
		sensitive = slices.DeleteFunc(slices.Clone(sensitive), below)
		for _, p := range prior.SensitivePaths {
			if below(p) {
				sensitive = append(sensitive, p)
			}
		}
	}
	return sensitive
}

// priorAsConfig returns the prior object with null for attributes that cannot be configured.
func (n *node) priorAsConfig(prior cty.Value) cty.Value {
	v, err := cty.Transform(prior, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) == 0 {
			return v, nil
		}
		if attr := n.schema.Body.EnclosingAttribute(path); attr != nil && isWhole(n.schema.Body, path) && attr.Computed && !attr.Optional {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return prior
	}
	return v
}

// isWhole reports whether the path ends at an attribute, not inside its value. It also returns
// true for a block at the top level.
func isWhole(schema *configschema.Block, path cty.Path) bool {
	_, named := path[len(path)-1].(cty.GetAttrStep)
	if !named {
		return false
	}
	return len(path) == 1 || schema.EnclosingAttribute(path[:len(path)-1]) != schema.EnclosingAttribute(path)
}

func pathOf(traversal hcl.Traversal) (cty.Path, tfdiags.Diagnostics) {
	var path cty.Path
	for _, step := range traversal {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			path = path.GetAttr(step.Name)
		case hcl.TraverseAttr:
			path = path.GetAttr(step.Name)
		case hcl.TraverseIndex:
			path = path.Index(step.Key)
		default:
			return nil, errorAt(traversal.SourceRange(), "Invalid ignore_changes address", "Only attribute names and index keys are permitted here.")
		}
	}
	return path, nil
}

// keepPrior returns the configuration with the prior value at path, and the path of that
// value. Like core, it changes nothing and returns no path unless both objects have the path.
// For core, maps have keys but no attributes, and objects have attributes but no keys. A string
// key at the end of the path may be missing in a map, and is ignored for other types. An unknown
// map stays unknown.
func keepPrior(config, prior cty.Value, path cty.Path) (cty.Value, cty.Path) {
	container, key := path, cty.NilVal
	if last, ok := path[len(path)-1].(cty.IndexStep); ok && last.Key.Type() == cty.String {
		container, key = path[:len(path)-1], last.Key
	}
	was, err1 := container.Apply(prior)
	is, err2 := container.Apply(config)
	if err1 != nil || err2 != nil {
		return config, nil
	}
	kept := container
	if is.Type().IsMapType() {
		switch {
		case !is.IsKnown():
			return config, nil
		case key != cty.NilVal:
			kept, was = path, withKey(is, was, key.AsString())
		}
	}
	with, err := cty.Transform(config, func(at cty.Path, v cty.Value) (cty.Value, error) {
		if at.Equals(container) {
			return was, nil
		}
		return v, nil
	})
	if err != nil {
		return config, nil
	}
	return with, kept
}

// withKey returns the map m with the element of from for the key, or without the key if from has
// no such element.
func withKey(m, from cty.Value, key string) cty.Value {
	vals := map[string]cty.Value{}
	if !m.IsNull() {
		maps.Copy(vals, m.AsValueMap())
	}
	delete(vals, key)
	if !from.IsNull() && (from.Type().IsMapType() || from.Type().IsObjectType()) {
		if v, ok := from.AsValueMap()[key]; ok {
			vals[key] = v
		}
	}
	switch {
	case len(vals) > 0 && !cty.CanMapVal(vals):
		return m // the type of the element differs from that of the others
	case len(vals) > 0:
		return cty.MapVal(vals)
	case m.IsNull():
		return m
	default:
		return cty.MapValEmpty(m.Type().ElementType())
	}
}

// triggered reports whether an object that a replace_triggered_by expression refers to, or its
// attribute, changes in this plan: the object is updated or replaced, or, for OpenTofu, created.
func (s *scope) triggered(expr hcl.Expression) (bool, tfdiags.Diagnostics) {
	ref, block, diags := s.trigger(expr)
	if diags.HasErrors() {
		return false, diags
	}
	if s.config.Module.Resources[block] == nil {
		return false, s.undeclaredTrigger(ref)
	}
	about := block.String()
	var matches func(*plans.ResourceInstanceChange) bool
	if subject, ok := ref.Subject.(addrs.ResourceInstance); ok {
		about = subject.String()
		abs := subject.Absolute(s.module)
		matches = func(c *plans.ResourceInstanceChange) bool { return c.Addr.Equal(abs) }
	} else {
		abs := block.Absolute(s.module).String()
		matches = func(c *plans.ResourceInstanceChange) bool { return c.Addr.ContainingResource().String() == abs }
	}
	path, diags := pathOf(ref.Remaining)
	if diags.HasErrors() {
		return false, diags
	}
	planned := slices.DeleteFunc(s.changes.ofResource(block.InModule(s.module.Module())),
		func(c *plans.ResourceInstanceChange) bool { return !matches(c) })
	if len(planned) == 0 && s.opts.Mode == plans.NormalMode && len(s.targets) == 0 {
		where := moduleText(nil)
		if !s.module.IsRoot() {
			where = s.module.String()
		}
		return false, errorAt(expr.Range(), "no change found for "+about+" in "+where,
			about+" has no instances, so it cannot trigger a replacement.")
	}
	for _, c := range planned {
		triggers := c.Action == plans.Update || c.Action.IsReplace() || c.Action == plans.Create && s.options.Flavor == OpenTofu
		if !triggers {
			continue
		}
		if diags := s.validateTrigger(ref, block); diags.HasErrors() {
			return false, diags
		}
		if len(path) == 0 || differs(c, path) {
			return true, nil
		}
	}
	return false, nil
}

// trigger returns the reference of a replace_triggered_by expression, and the address of its block.
func (s *scope) trigger(expr hcl.Expression) (lang.Reference, addrs.Resource, tfdiags.Diagnostics) {
	traversal, diags := s.traversal(expr)
	if diags.HasErrors() {
		return lang.Reference{}, addrs.Resource{}, diags
	}
	ref, moreDiags := lang.ParseReference(traversal)
	if moreDiags.HasErrors() {
		return ref, addrs.Resource{}, diags.Append(moreDiags)
	}
	switch subject := ref.Subject.(type) {
	case addrs.Resource:
		return ref, subject, nil
	case addrs.ResourceInstance:
		return ref, subject.Resource, nil
	default:
		return ref, addrs.Resource{}, errorAt(expr.Range(), "Invalid replace_triggered_by expression", "Only resources, their instances and their attributes can trigger a replacement.")
	}
}

// validateTrigger checks that the block and the attribute of a reference to a resource exist.
func (s *scope) validateTrigger(ref lang.Reference, addr addrs.Resource) tfdiags.Diagnostics {
	block := s.config.Module.Resources[addr]
	if block == nil {
		return s.undeclaredTrigger(ref)
	}
	return tfdiags.Diagnostics{}.Append(s.validateAttributes(ref.Remaining, block))
}

func (s *scope) undeclaredTrigger(ref lang.Reference) tfdiags.Diagnostics {
	summary := "Undeclared resource in replace_triggered_by"
	if s.options.Flavor == Terraform {
		summary = "Reference to undeclared resource"
	}
	return errorAt(ref.Range, summary, "replace_triggered_by refers to "+ref.Subject.String()+", but there is no such block in "+moduleText(s.config.Path)+". Add the block, or remove the reference.")
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

// traversal converts an expression to an address; index expressions are evaluated.
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
		key, moreDiags := s.expr(expr.Key, cty.DynamicPseudoType)
		diags = append(diags, moreDiags...)
		if diags.HasErrors() {
			return nil, diags
		}
		key, _ = key.UnmarkDeep()
		if key.IsNull() || !key.IsKnown() {
			return nil, append(diags, errorAt(expr.Range(), "Invalid index", "The key of this address is null, or not known during the plan.")...)
		}
		return append(slices.Clip(head), hcl.TraverseIndex{Key: key, SrcRange: expr.Range()}), diags
	case *hclsyntax.RelativeTraversalExpr:
		head, diags := s.traversal(expr.Source)
		return append(slices.Clip(head), expr.Traversal...), diags
	}
	return nil, errorAt(expr.Range(), "Invalid address", "An address is required: a resource, optionally with instance keys, or one of its attributes.")
}

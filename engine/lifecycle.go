package engine

import (
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
// (CHECKS §9.7). It is also used for plans of legacy providers.
func (n *node) ignoreChanges(prior, config cty.Value, planned bool) (cty.Value, tfdiags.Diagnostics) {
	if prior.IsNull() || config.IsNull() || n.block == nil {
		return config, nil
	}
	switch lifecycle := n.block.Managed; {
	case lifecycle.IgnoreAllChanges && planned:
		return prior, nil
	case lifecycle.IgnoreAllChanges:
		return n.priorAsConfig(prior), nil
	}
	paths, diags := n.ignoredPaths()
	for _, path := range paths {
		config = copyAt(config, prior, path)
	}
	return config, diags
}

// ignoredPaths returns the paths in ignore_changes; "all" is the path of the object.
func (n *node) ignoredPaths() ([]cty.Path, tfdiags.Diagnostics) {
	if n.block.Managed.IgnoreAllChanges {
		return []cty.Path{{}}, nil
	}
	var paths []cty.Path
	for _, traversal := range n.block.Managed.IgnoreChanges {
		path, diags := pathOf(traversal)
		if diags.HasErrors() {
			return nil, diags
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// ignoreMarks returns the sensitive paths of a configuration with ignored changes: an
// ignored attribute is as sensitive as in the prior object.
func (n *node) ignoreMarks(prior states.ResourceInstanceObject, sensitive []cty.Path) []cty.Path {
	if prior.Value.IsNull() || n.block == nil {
		return sensitive
	}
	ignored, _ := n.ignoredPaths() // errors are reported by ignoreChanges
	for _, path := range ignored {
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

// priorAsConfig returns the configurable attributes of the prior object.
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

// isWhole reports whether the path is that of an attribute, and not inside of one.
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

// copyAt returns v with the value of from at path. If from has none, a map loses the
// key, and anything else becomes null.
func copyAt(v, from cty.Value, path cty.Path) cty.Value {
	if len(path) == 0 {
		return from
	}
	if v.IsNull() || !v.IsKnown() || v.IsMarked() {
		// A missing value cannot be changed in part: the prior value is used as a
		// whole, if it has the path.
		if _, err := path.Apply(from); err != nil {
			return v
		}
		if _, index := path[0].(cty.IndexStep); index && (v.IsNull() || !v.IsKnown()) && v.Type().IsMapType() && !from.IsNull() {
			got, err := path[:1].Apply(from)
			if err == nil && v.IsNull() {
				return cty.MapVal(map[string]cty.Value{path[0].(cty.IndexStep).Key.AsString(): got})
			}
		}
		return v
	}
	switch step := path[0].(type) {
	case cty.GetAttrStep:
		switch ty := v.Type(); {
		case ty.IsObjectType() && ty.HasAttribute(step.Name):
			vals := v.AsValueMap()
			var inner cty.Value
			if from.IsNull() || !from.IsKnown() || !from.Type().IsObjectType() || !from.Type().HasAttribute(step.Name) {
				return v
			}
			inner = from.GetAttr(step.Name)
			if len(path) == 1 {
				vals[step.Name] = inner
			} else if !inner.IsNull() {
				vals[step.Name] = copyAt(vals[step.Name], inner, path[1:])
			}
			return cty.ObjectVal(vals)
		case ty.IsMapType():
			return copyAtKey(v, from, step.Name, path)
		}
	case cty.IndexStep:
		return copyAtIndex(v, from, step, path)
	}
	return v
}

func copyAtIndex(v, from cty.Value, step cty.IndexStep, path cty.Path) cty.Value {
	if step.Key.IsNull() || !step.Key.IsKnown() { // for example many[null]
		return v
	}
	ty := v.Type()
	if ty.IsMapType() || ty.IsObjectType() {
		if step.Key.Type() != cty.String {
			return v
		}
		if ty.IsObjectType() {
			return copyAt(v, from, append(cty.GetAttrPath(step.Key.AsString()), path[1:]...))
		}
		return copyAtKey(v, from, step.Key.AsString(), path)
	}
	switch {
	case !ty.IsListType() && !ty.IsTupleType():
		return v
	case step.Key.Type() == cty.String && len(path) == 1: // core treats it as the key of a map
		return from
	}
	has, had := v.HasIndex(step.Key), from.HasIndex(step.Key)
	if from.IsNull() || has.False() || had.False() {
		return v
	}
	i, _ := step.Key.AsBigFloat().Int64()
	vals := v.AsValueSlice()
	vals[i] = copyAt(vals[i], from.Index(step.Key), path[1:])
	if ty.IsTupleType() {
		return cty.TupleVal(vals)
	}
	return cty.ListVal(vals)
}

func copyAtKey(v, from cty.Value, key string, path cty.Path) cty.Value {
	vals := v.AsValueMap()
	if vals == nil {
		vals = map[string]cty.Value{}
	}
	var prior cty.Value
	if !from.IsNull() && from.IsKnown() && from.Type().IsMapType() && from.HasIndex(cty.StringVal(key)).True() {
		prior = from.Index(cty.StringVal(key))
	}
	switch {
	case prior == cty.NilVal:
		delete(vals, key)
	case len(path) == 1:
		vals[key] = prior
	default:
		vals[key] = copyAt(vals[key], prior, path[1:])
	}
	if len(vals) == 0 {
		return cty.MapValEmpty(v.Type().ElementType())
	}
	return cty.MapVal(vals)
}

// triggered reports whether the object of a replace_triggered_by expression, or its attribute,
// changes in this plan: it is updated or replaced, or, for OpenTofu, created.
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

// trigger returns the reference of a replace_triggered_by expression, and its block.
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

// validateTrigger checks that the block of a reference to a resource exists, and its attribute.
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
			return nil, append(diags, errorAt(expr.Range(), "Invalid index", "The key of this address is unknown during the plan.")...)
		}
		return append(slices.Clip(head), hcl.TraverseIndex{Key: key, SrcRange: expr.Range()}), diags
	case *hclsyntax.RelativeTraversalExpr:
		head, diags := s.traversal(expr.Source)
		return append(slices.Clip(head), expr.Traversal...), diags
	}
	return nil, errorAt(expr.Range(), "Invalid address", "An address is required: a resource, optionally with instance keys, or one of its attributes.")
}

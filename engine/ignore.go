package engine

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// ignoreChanges is §9.7: the configuration with the prior values where it is said
// that changes do not count. It serves for what a legacy provider planned, too.
func (n *node) ignoreChanges(prior, config cty.Value, planned bool) (cty.Value, tfdiags.Diagnostics) {
	if prior.IsNull() || config.IsNull() || n.block == nil {
		return config, nil
	}
	lifecycle := n.block.Managed
	if lifecycle.IgnoreAllChanges && planned {
		return prior, nil
	}
	if lifecycle.IgnoreAllChanges {
		return n.priorAsConfig(prior), nil
	}
	if len(lifecycle.IgnoreChanges) == 0 {
		return config, nil
	}
	var paths []cty.Path
	for _, traversal := range lifecycle.IgnoreChanges {
		path, diags := pathOf(traversal)
		if diags.HasErrors() {
			return config, diags
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		config = graft(config, prior, path)
	}
	return config, nil
}

// priorAsConfig is the prior object as far as it can be configured.
func (n *node) priorAsConfig(prior cty.Value) cty.Value {
	v, err := cty.Transform(prior, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) == 0 {
			return v, nil
		}
		if attr := n.schema.Body.AttributeByPath(path); attr != nil && isWhole(n.schema.Body, path) && attr.Computed && !attr.Optional {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return prior
	}
	return v
}

// isWhole reports whether the path leads to an attribute itself, not into it.
func isWhole(schema *configschema.Block, path cty.Path) bool {
	_, named := path[len(path)-1].(cty.GetAttrStep)
	if !named {
		return false
	}
	return len(path) == 1 || schema.AttributeByPath(path[:len(path)-1]) != schema.AttributeByPath(path)
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
			return nil, at(traversal.SourceRange(), "Invalid ignore_changes address", "Only attribute names and index keys may be used here.")
		}
	}
	return path, nil
}

// graft is v with what from has at the path. Where from has nothing there, a map
// loses the key and anything else becomes null.
func graft(v, from cty.Value, path cty.Path) cty.Value {
	if len(path) == 0 {
		return from
	}
	if v.IsNull() || !v.IsKnown() || v.IsMarked() {
		// What configuration does not have cannot be changed in a part: the whole
		// is the prior's, if that has the part.
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
				vals[step.Name] = graft(vals[step.Name], inner, path[1:])
			}
			return cty.ObjectVal(vals)
		case ty.IsMapType():
			return graftKey(v, from, step.Name, path)
		}
	case cty.IndexStep:
		return graftIndex(v, from, step, path)
	}
	return v
}

func graftIndex(v, from cty.Value, step cty.IndexStep, path cty.Path) cty.Value {
	ty := v.Type()
	if ty.IsMapType() || ty.IsObjectType() {
		if step.Key.Type() != cty.String {
			return v
		}
		if ty.IsObjectType() {
			return graft(v, from, append(cty.GetAttrPath(step.Key.AsString()), path[1:]...))
		}
		return graftKey(v, from, step.Key.AsString(), path)
	}
	if !ty.IsListType() && !ty.IsTupleType() {
		return v
	}
	has, had := v.HasIndex(step.Key), from.HasIndex(step.Key)
	if from.IsNull() || has.False() || had.False() {
		return v
	}
	i, _ := step.Key.AsBigFloat().Int64()
	vals := v.AsValueSlice()
	vals[i] = graft(vals[i], from.Index(step.Key), path[1:])
	if ty.IsTupleType() {
		return cty.TupleVal(vals)
	}
	return cty.ListVal(vals)
}

func graftKey(v, from cty.Value, key string, path cty.Path) cty.Value {
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
		vals[key] = graft(vals[key], prior, path[1:])
	}
	if len(vals) == 0 {
		return cty.MapValEmpty(v.Type().ElementType())
	}
	return cty.MapVal(vals)
}

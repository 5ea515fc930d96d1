package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// GenerateResourceConfig implements [provider.Interface]. It returns a short
// configuration for the object: planning it for that object changes nothing. Sensitive
// values are included: clients omit them from the configuration that they write, and
// note the omission there.
//
// Not every object has a valid configuration. An object with write-only attributes may
// need them, and an existing object may violate a rule. Warnings list the changes that
// the user has to make.
func (s *server) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	c := &call{typeName: req.TypeName}
	err := c.guardPanic(ctx, "GenerateResourceConfig", func() error {
		if !req.State.IsWhollyKnown() {
			return errOpenState
		}
		resp.Config = m.generate(req.State)
		resp.Diagnostics = append(asCorrections(m.check(ctx, c, resp.Config, m.fresh)), lostElements(req.State, resp.Config)...)
		return nil
	})
	resp.Diagnostics = append(resp.Diagnostics, diag.FromError("Cannot generate a configuration", err)...)
	return resp
}

// asCorrections returns the violations in a generated configuration as warnings for the
// user who completes it.
func asCorrections(wrong diag.Diagnostics) diag.Diagnostics {
	for i := range wrong {
		wrong[i].Severity = diag.Warning
		wrong[i].Summary = "Generated configuration needs a correction: " + wrong[i].Summary
	}
	return wrong
}

// lostElements warns of sets with elements that differ only in values that the provider
// determines: a configuration cannot distinguish them.
func lostElements(state, config cty.Value) (out diag.Diagnostics) {
	_ = cty.Walk(config, func(at cty.Path, v cty.Value) (bool, error) {
		if !v.Type().IsSetType() || !usable(v) {
			return true, nil
		}
		if was, err := at.Apply(state); err == nil && usable(was) && was.LengthInt() > v.LengthInt() {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Path: at.Copy(), Summary: "Generated configuration is incomplete",
				Detail: "Elements of this set differ only in values that the provider determines, so a configuration can have only one of them. " +
					"Applying it removes the others.",
			})
		}
		return true, nil
	})
	return out
}

// generate returns a configuration for the object with this state.
func (m *managed) generate(state cty.Value) cty.Value {
	if !usable(state) {
		return m.null // a list result without its object
	}
	parts := make([]part, len(m.attrs))
	for i, a := range m.attrs {
		parts[i] = part{name: a.name, class: a.class, value: m.attr(state, a)}
		if a.in != nil {
			parts[i].field = a.in
		}
	}
	return m.rules.describing(parts)
}

// generate returns a configuration for v. It keeps the type of v, also where that is
// dynamic.
func (n *node) generate(v cty.Value) cty.Value {
	if !usable(v) || !n.hasObjects() {
		return v
	}
	inner := n.innermost()
	switch inner.kind { //nolint:exhaustive // of those that hold objects
	case kindObject:
		parts := make([]part, len(inner.fields))
		for i, f := range inner.fields {
			parts[i] = part{name: f.name, class: f.classify(), value: v.GetAttr(f.name), field: f}
		}
		return inner.rules.describing(parts)
	case kindMap:
		elems := v.AsValueMap()
		for key, e := range elems {
			elems[key] = inner.elem.generate(e)
		}
		if len(elems) == 0 {
			return v
		}
		return cty.MapVal(elems)
	default:
		elems := v.AsValueSlice()
		for i, e := range elems {
			elems[i] = inner.elem.generate(e)
		}
		switch {
		case len(elems) == 0:
			return v
		case inner.kind == kindSet:
			// Elements that differ only in computed values become one, see lostElements.
			return cty.SetVal(elems)
		default:
			return cty.ListVal(elems)
		}
	}
}

// classify returns how the value of the field of a nested struct is determined.
func (f *field) classify() class {
	switch {
	case f.computedOnly():
		return classComputed
	case f.required():
		return classRequired
	case f.def != cty.NilVal:
		return classDefault
	case f.computed:
		return classChosen
	default:
		return classOptional
	}
}

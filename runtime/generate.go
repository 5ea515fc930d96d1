package runtime

import (
	"context"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// GenerateResourceConfig implements [provider.Interface]. It returns a short
// configuration for the object. A plan of the configuration changes the object only if no valid
// configuration describes the object exactly. Sensitive values are included: clients omit them
// from the configuration that they write, and note the omission there.
//
// Not every object has a valid configuration. Write-only attributes, whose values
// are not in the state, may be required, and an existing object may violate a rule. Warnings list
// the changes that the user has to make, and the sets that lose elements.
func (s *server) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	c := &call{typeName: req.TypeName, form: m.form}
	err := c.guardPanic(ctx, "GenerateResourceConfig", func() error {
		if !req.State.IsWhollyKnown() {
			return errUnknownState
		}
		resp.Config = m.generate(req.State)
		resp.Diagnostics = append(asCorrections(m.check(ctx, c, resp.Config, m.fresh)), lostElements(req.State, resp.Config)...)
		return nil
	})
	resp.Diagnostics = append(resp.Diagnostics, diag.FromError("Cannot generate a configuration", err)...)
	return resp
}

// asCorrections turns the errors in wrong, which are about a generated configuration, into warnings
// for the user who completes it. It returns wrong.
func asCorrections(wrong diag.Diagnostics) diag.Diagnostics {
	for i := range wrong {
		if wrong[i].Severity == diag.Warning {
			continue
		}
		wrong[i].Severity = diag.Warning
		wrong[i].Summary = "Generated configuration needs a correction: " + wrong[i].Summary
	}
	return wrong
}

// lostElements returns warnings about sets with elements that differ only in values that the
// provider determines: a configuration cannot distinguish them.
func lostElements(state, config cty.Value) (out diag.Diagnostics) {
	_ = cty.Walk(config, func(at cty.Path, v cty.Value) (bool, error) {
		if !v.Type().IsSetType() || !usable(v) {
			return true, nil
		}
		if was, err := at.Apply(state); err == nil && usable(was) && was.LengthInt() > v.LengthInt() {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Path: at.Copy(), Summary: "Generated configuration is incomplete",
				Detail: "Elements of this set differ only in values that the provider determines, so a configuration can have only one of them. " +
					"Applying the configuration removes the others.",
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

// generate returns a configuration for v. It keeps the type of v, even where that is
// dynamic.
func (n *node) generate(v cty.Value) cty.Value {
	if !usable(v) || !n.hasObjects() {
		return v
	}
	inner := n.innermost()
	switch inner.kind { //nolint:exhaustive // only these kinds hold objects
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

// part is one attribute or block of the object that a configuration is generated
// for.
type part struct {
	name  string
	class class
	field *field    // of the inputs; nil for outputs
	value cty.Value // value in the object; classify converts it to that of a configuration
	// redundant is set if a configuration without the part describes the same object.
	redundant bool
	// inexpressible is set if no generated configuration can have the part.
	inexpressible bool
}

// classify determines whether the part is redundant or inexpressible, and converts its
// value to that of a configuration.
func (p *part) classify(rules rules) {
	if p.field == nil || p.class == classComputed || p.field.writeOnly {
		p.inexpressible = true
		return
	}
	was := p.value
	p.value = p.field.node.generate(was)
	switch p.class { //nolint:exhaustive // of those that may be unset, and are then not null
	case classDefault:
		p.redundant = was.RawEquals(p.field.def)
	case classChosen:
		p.redundant, p.inexpressible = true, !p.chosenLikeConfigured(rules, was)
	}
}

// chosenLikeConfigured reports whether the value that the provider chose could have
// been configured: whether that configuration is valid and has the same result.
func (p *part) chosenLikeConfigured(rules rules, was cty.Value) bool {
	if !(resolver{keep: true}).value(p.field.node, p.value, was).RawEquals(was) {
		return false
	}
	var wrong diag.Diagnostics
	if p.field.node.ruled() {
		wrong = p.field.node.check(p.value, nil, nil)
	}
	for _, c := range rules.own {
		if c.value != nil && c.fields[0] == p.name {
			wrong = c.value.validate(was, nil, wrong)
		}
	}
	return !wrong.HasErrors()
}

// preferred reports whether a redundant part is included: a value that the
// provider chose is included unless it is empty, and a default is omitted.
func (p *part) preferred() bool {
	if p.class != classChosen || p.value.IsNull() {
		return false
	}
	return !p.value.Type().IsCollectionType() || p.value.LengthInt() > 0
}

// describing returns a configuration of the parts. It satisfies the rules between them if a search
// finds a selection of the parts that does.
func (r rules) describing(parts []part) cty.Value {
	g := choice{rules: r, parts: parts, included: make([]bool, len(parts)), object: make(map[string]cty.Value, len(parts))}
	for i := range parts {
		p := &parts[i]
		p.classify(r)
		g.include(i, !p.inexpressible && (!p.redundant || p.preferred()))
	}
	g.satisfyRules()
	g.includeOtherDefaults()
	for i := range parts {
		if !g.included[i] {
			g.object[parts[i].name] = cty.NullVal(parts[i].value.Type())
		}
	}
	return cty.ObjectVal(g.object)
}

// choice is the selection of the parts to include.
type choice struct {
	rules    rules
	parts    []part
	included []bool
	object   map[string]cty.Value
}

// include includes a part or omits it. A write-only part counts as unknown, because the user
// may have to add it.
func (g *choice) include(i int, included bool) {
	p := &g.parts[i]
	g.included[i] = included
	switch {
	case included:
		g.object[p.name] = p.value
	case p.field != nil && p.field.writeOnly:
		g.object[p.name] = p.field.node.unknown
	default:
		g.object[p.name] = cty.NullVal(p.value.Type())
	}
}

// satisfyRules changes the selection as little as possible so that it satisfies the
// rules. It first changes only redundant parts, because configurations with and without
// them describe the same object; a configuration that the object was created from is among
// these selections. If no configuration describes an existing object exactly, other parts
// are omitted too; of two conflicting parts, the one that the rule names later is omitted.
func (g *choice) satisfyRules() {
	if g.valid() {
		return
	}
	free := g.ruled(func(p *part) bool { return p.redundant })
	if g.search(free) {
		return
	}
	g.search(g.ruled(func(p *part) bool { return p.redundant || p.class == classOptional }))
}

// includeOtherDefaults includes each value that equals its default from Defaults but not the
// default that applies in the selected configuration, unless the rules forbid that value. Write-only
// parts count as not configured if the rules do not need them.
func (g *choice) includeOtherDefaults() {
	selected := g.object
	g.object = maps.Clone(selected)
	for i := range g.parts {
		if p := &g.parts[i]; p.field != nil && p.field.writeOnly {
			g.object[p.name] = p.field.node.null
		}
	}
	config := cty.ObjectVal(g.object)
	if !g.valid() {
		config = cty.ObjectVal(selected)
	}
	g.object = selected
	for i := range g.parts {
		p := &g.parts[i]
		if p.class != classDefault || g.included[i] {
			continue
		}
		if v, certain := p.field.orDefault(p.field.node.null, config); !certain || !v.RawEquals(p.field.def) {
			valid := g.valid()
			g.include(i, true)
			if valid && !g.valid() {
				g.include(i, false) // no valid configuration has the object as its result
			}
		}
	}
}

// valid reports whether the rules between attributes are satisfied. Rules about one
// value do not depend on the selection.
func (g *choice) valid() bool {
	object := cty.NilVal
	for _, c := range g.rules.own {
		if c.among == nil {
			continue
		}
		if object == cty.NilVal {
			object = cty.ObjectVal(g.object)
		}
		if c.among.check(c, object, nil, nil).HasErrors() {
			return false
		}
	}
	return true
}

// ruled returns, in reverse order, the indexes of the parts that are named in rules between
// attributes, can be configured and are not null, and for which may returns true.
func (g *choice) ruled(may func(*part) bool) []int {
	var found []int
	for _, c := range g.rules.own {
		if c.among == nil {
			continue
		}
		for _, name := range c.fields {
			i := slices.IndexFunc(g.parts, func(p part) bool { return p.name == name })
			if p := &g.parts[i]; !slices.Contains(found, i) && !p.inexpressible && !p.value.IsNull() && may(p) {
				found = append(found, i)
			}
		}
	}
	slices.Reverse(found)
	return found
}

// maxTries limits a search: rules are few, and most objects satisfy them.
const maxTries = 1 << 14

// search changes the smallest number of parts so that the selection satisfies the rules. It
// returns false, and changes nothing, if that is impossible or takes more than maxTries tries.
func (g *choice) search(parts []int) bool {
	tries := 0
	var try func(from, changes int) bool
	try = func(from, changes int) bool {
		if tries++; tries > maxTries {
			return false
		}
		if changes == 0 {
			return g.valid()
		}
		for at := from; at <= len(parts)-changes; at++ {
			i := parts[at]
			g.include(i, !g.included[i])
			if try(at+1, changes-1) {
				return true
			}
			g.include(i, !g.included[i])
		}
		return false
	}
	for changes := 1; changes <= len(parts); changes++ {
		if try(0, changes) {
			return true
		}
	}
	return false
}

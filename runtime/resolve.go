package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// readStruct reads the defaults and constraints of a nested struct, and checks its methods. Broken
// has the names of its attributes whose mistakes have been reported.
func (n *node) readStruct(broken []string) error {
	pointer := reflect.New(n.goType)
	_, err := checkMethods(pointer.Type(), structMethods, nil)
	errs := []error{err, misplacedMethods(pointer.Type(), "nested struct", "Constraints, the option replace, or a type with SemanticEquals")}
	if d, ok := reflect.TypeAssert[Defaulter](pointer); ok {
		d.Defaults()
		for _, f := range n.fields {
			if err := f.takeDefault(pointer.Elem()); err != nil {
				errs = append(errs, fmt.Errorf("method Defaults: %w", err))
			}
		}
	}
	if n.rules, err = rulesOf(reflect.New(n.goType), n.fields, broken); err != nil {
		errs = append(errs, fmt.Errorf("method Constraints: %w", err))
	}
	return errors.Join(errs...)
}

// inherit sets the properties that n has because of the nodes inside it.
func (n *node) inherit() error {
	if n.elem != nil {
		n.resolves, n.hasWriteOnly, n.deprecates = n.elem.resolves, n.elem.hasWriteOnly, n.elem.deprecates
	}
	n.resolves = n.resolves || n.textual()
	for _, f := range n.fields {
		n.resolves = n.resolves || f.computed || f.writeOnly || f.def != cty.NilVal || f.node.resolves
		n.hasWriteOnly = n.hasWriteOnly || f.writeOnly || f.node.hasWriteOnly
		n.deprecates = n.deprecates || f.deprecates()
	}
	switch n.kind { //nolint:exhaustive // of collections
	case kindList, kindMap, kindSet:
		if n.resolves && n.ctyType.HasDynamicTypes() {
			return fmt.Errorf("structs in a collection cannot have attributes of dynamic type together with computed or write-only ones, defaults or types with SemanticEquals (%s)", n.goType)
		}
	}
	return nil
}

// resolver computes the planned value for a configured value. Inside nested objects,
// defaults and the provider set attributes that are not configured, and an
// equivalent text keeps its prior form.
type resolver struct {
	// keep is set if attributes that the provider determines keep their prior values.
	keep bool
	// renew is set if keep excludes values that are missing in an object that an older
	// version of the provider has stored.
	renew bool
	// same is set if the configuration is equivalent to the prior value.
	same bool
	// merged, if not nil, is set when two elements of a set become equal, which
	// clients allow only in blocks.
	merged *bool
}

// value returns the planned value. The prior value is NilVal if there is none.
func (s resolver) value(n *node, config, prior cty.Value) cty.Value {
	if !usable(prior) {
		prior = cty.NilVal
	}
	switch {
	case !usable(config):
		return config
	case s.same && prior != cty.NilVal && !(n.resolves && n.hasObjects()):
		return prior
	case !n.resolves:
		return config
	}
	switch inner := n.innermost(); inner.kind { //nolint:exhaustive // the others are texts
	case kindObject:
		return s.object(inner, config, prior)
	case kindList:
		return s.list(inner, config, prior)
	case kindMap:
		return s.mapping(inner, config, prior)
	case kindSet:
		return s.set(inner, config, prior)
	default:
		if inner.sameText(config, prior) {
			return prior
		}
		return config
	}
}

func (s resolver) object(n *node, config, prior cty.Value) cty.Value {
	attrs := make(map[string]cty.Value, len(n.fields))
	for _, f := range n.fields {
		was := cty.NilVal
		if prior != cty.NilVal {
			was = prior.GetAttr(f.name)
		}
		attrs[f.name] = s.field(f, config.GetAttr(f.name), was)
	}
	return cty.ObjectVal(attrs)
}

func (s resolver) field(f *field, config, prior cty.Value) cty.Value {
	switch {
	case f.writeOnly:
		return f.node.null
	case !config.IsNull():
		return s.configured(f, config, prior)
	case f.computed && s.keep && prior != cty.NilVal && !(s.renew && prior.IsNull() && f.missing()):
		return prior
	case f.computed:
		return f.node.unknown
	case f.def != cty.NilVal:
		return s.value(f.node, f.def, prior)
	default:
		return config
	}
}

// configured is value for the configured value of a field; it also sets merged.
func (s resolver) configured(f *field, config, prior cty.Value) cty.Value {
	v := s.value(f.node, config, prior)
	if s.merged != nil && !f.block && f.node.innermost().kind == kindSet && usable(v) &&
		v.LengthInt() < config.LengthInt() && (prior == cty.NilVal || !v.RawEquals(prior)) {
		*s.merged = true
	}
	return v
}

// matchesPrior reports whether a configured element would be planned as the prior element.
func (n *node) matchesPrior(config, prior cty.Value) bool {
	return resolver{keep: true}.value(n, config, prior).RawEquals(prior)
}

// missing reports whether null in a field that the provider determines means that the
// provider has not determined the value yet: an output that is a string, a bool, a number or a struct is never
// null, except in an object that an older version of the provider has stored.
func (f *field) missing() bool {
	if f.optional {
		return f.computed
	}
	switch f.node.kind { //nolint:exhaustive // the others may be null
	case kindString, kindBool, kindInt, kindUint, kindFloat, kindObject:
		return true
	default:
		return false
	}
}

// list pairs elements by position, as clients do. Elements that are not objects are
// compared as one value, so that their prior forms are kept together or not at all.
func (s resolver) list(n *node, config, prior cty.Value) cty.Value {
	var was []cty.Value
	if prior != cty.NilVal {
		was = wire.Elements(prior)
	}
	elems := wire.Elements(config)
	if len(elems) == 0 {
		return config
	}
	for i, e := range elems {
		p := cty.NilVal
		if i < len(was) {
			p = was[i]
		}
		elems[i] = s.value(n.elem, e, p)
	}
	resolved := cty.ListVal(elems)
	return n.whole(config, resolved, prior)
}

func (s resolver) mapping(n *node, config, prior cty.Value) cty.Value {
	var was map[string]cty.Value
	if prior != cty.NilVal {
		was = prior.AsValueMap()
	}
	elems := config.AsValueMap()
	if len(elems) == 0 {
		return config
	}
	for key, e := range elems {
		elems[key] = s.value(n.elem, e, was[key])
	}
	return n.whole(config, cty.MapVal(elems), prior)
}

// whole returns resolved for a collection of objects. For any other collection it returns
// prior if resolved equals that, and otherwise config.
func (n *node) whole(config, resolved, prior cty.Value) cty.Value {
	switch {
	case n.elem.innermost().kind == kindObject:
		return resolved
	case prior != cty.NilVal && resolved.RawEquals(prior):
		return prior
	default:
		return config
	}
}

// set pairs each element with a prior element that it would be planned as, since sets
// have no positions. An element with unset attributes may fit several prior elements: as many
// elements as possible are paired.
func (s resolver) set(n *node, config, prior cty.Value) cty.Value {
	elems := wire.Elements(config)
	if len(elems) == 0 {
		return config
	}
	var was []cty.Value
	if prior != cty.NilVal {
		was = wire.Elements(prior)
	}
	before := newPool(n.elem.plain(), was)
	for i, p := range before.pairs(elems, n.elem.matchesPrior) {
		if p == cty.NilVal || !s.keep || s.renew {
			p = s.value(n.elem, elems[i], p)
		}
		elems[i] = p
	}
	if n.elem.innermost().kind != kindObject && (before.left > 0 || len(was) != len(elems)) {
		return config
	}
	return cty.SetVal(elems)
}

// resolve returns the planned value of an attribute that is configured or has a
// default.
func (p *planning) resolve(a *attribute, s resolver) cty.Value {
	was := cty.NilVal
	if !p.create {
		was = p.m.attr(p.req.PriorState, a)
	}
	set, _ := a.in.orDefault(p.m.attr(p.req.Config, a), p.req.Config)
	merged := false
	s.merged, s.same = &merged, slices.Contains(p.same, a)
	v := s.configured(a.in, set, was)
	if merged {
		p.merged = append(p.merged, a)
	}
	return v
}

// distinct returns an error for sets that would be planned with fewer elements than
// are configured, which clients reject.
func (p *planning) distinct() error {
	var errs []error
	for _, a := range p.merged {
		errs = append(errs, diag.WithPath(a.path(), errors.New("two elements of a set are equal once attributes that are not configured have their values; remove one of the elements")))
	}
	return errors.Join(errs...)
}

package runtime

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// declareReplace sets the option replace of the input at a path of ReplaceFields, such as
// "name" or "rule.port".
func (m *managed) declareReplace(path string) error {
	name, rest, nested := strings.Cut(path, ".")
	if m.isBroken(name) {
		return nil
	}
	a := m.byName[name]
	if a == nil || a.in == nil {
		return fmt.Errorf("%q is not an input", path)
	}
	f := a.in
	for nested {
		if problem := f.replaceProblem(); problem != "" {
			return fmt.Errorf("%q is inside an attribute that %s", path, problem)
		}
		object, _ := f.node.nesting()
		name, rest, nested = strings.Cut(rest, ".")
		i := -1
		if object != nil {
			i = slices.IndexFunc(object.fields, func(f *field) bool { return f.name == name })
		}
		if i < 0 {
			return fmt.Errorf("%q is not an input", path)
		}
		if f.set {
			return fmt.Errorf("%q is inside a set, whose elements are identified by their values; name the set", path)
		}
		f = object.fields[i]
	}
	if problem := f.replaceProblem(); problem != "" {
		return fmt.Errorf("%q %s", path, problem)
	}
	f.replace = true
	return nil
}

// replaceProblem returns why a change of the field cannot need a new object, or "" if it can.
func (f *field) replaceProblem() string {
	switch {
	case f.writeOnly:
		return "is write-only, so a change of it is not visible; use an input that changes with it"
	case f.computedOnly():
		return "is not an input"
	}
	return ""
}

// replaces reports whether a change of the field needs a new object.
func replaces(f *field) bool { return f.replace }

// Replacer reports which changes need a new object, if that depends on the object,
// for example on whether it can be updated in place. Field is the name of an input
// that changes, other than the timeouts, or of an output that has drifted and is not kept. A
// change of a field for which ReplaceOn returns true needs a new object, as for ReplaceFields.
//
// ReplaceOn is also called while inputs are unknown, because clients reject an apply that
// replaces an object that was planned to be updated: unknown inputs of current then
// have their zero value. An input on which the result depends should be a [Value].
type Replacer[In any] interface {
	ReplaceOn(field string, prior, current In) bool
}

// replacements returns the paths of the changes that need a new object.
func (p *planning) replacements(ctx context.Context) ([]cty.Path, error) {
	var paths []cty.Path
	for _, a := range p.changed {
		if a == p.m.timeouts.attr {
			continue // a change of timeouts never needs a new object
		}
		if a.in.replace {
			paths = append(paths, a.path())
			continue
		}
		if inner := a.node.replacedPaths(a.path(), p.m.attr(p.req.PriorState, a), p.planned[a.pos]); len(inner) > 0 {
			paths = append(paths, inner...)
			continue
		}
		replace, err := p.replaceOn(ctx, a)
		if err != nil {
			return nil, err
		}
		if replace {
			paths = append(paths, a.path())
		}
	}
	for _, a := range p.drifted {
		if !p.unknown[a.name] {
			continue // it is kept
		}
		replace, err := p.replaceOn(ctx, a)
		if err != nil {
			return nil, err
		}
		if replace {
			paths = append(paths, a.path())
		}
	}
	return paths, nil
}

func (p *planning) replaceOn(ctx context.Context, a *attribute) (replace bool, err error) {
	if p.m.replaceOn == nil {
		return false, nil
	}
	if err := p.decode(); err != nil {
		return false, err
	}
	err = p.c.guardPanic(ctx, "ReplaceOn", func() error {
		replace = p.m.replaceOn(p.current, a.name, p.prior, p.current)
		return nil
	})
	return replace, err
}

// replacedPaths returns the paths inside the value at path at which an attribute with the
// option replace differs, or path itself if one of the values is unknown. An attribute of an
// element or object that is missing on one side is null there; clients treat it as unknown.
func (n *node) replacedPaths(path cty.Path, was, is cty.Value) []cty.Path {
	n = n.innermost()
	if !n.anyField(replaces) || objchange.Equal(was, is) {
		return nil
	}
	if !was.IsKnown() || !is.IsKnown() {
		return []cty.Path{path}
	}
	var paths []cty.Path
	inside := func(n *node, path cty.Path, was, is cty.Value) {
		paths = append(paths, n.replacedPaths(path, n.orNull(was), n.orNull(is))...)
	}
	switch n.kind { //nolint:exhaustive // the others hold no objects, except sets, which have no such attribute
	case kindObject:
		before, after := split(was, cty.Value.AsValueMap), split(is, cty.Value.AsValueMap)
		for _, f := range n.fields {
			if !f.replace {
				inside(f.node, path.GetAttr(f.name), before[f.name], after[f.name])
			} else if !objchange.Equal(f.node.orNull(before[f.name]), f.node.orNull(after[f.name])) {
				paths = append(paths, path.GetAttr(f.name))
			}
		}
	case kindList:
		before, after := split(was, cty.Value.AsValueSlice), split(is, cty.Value.AsValueSlice)
		for i := range max(len(before), len(after)) {
			inside(n.elem, path.IndexInt(i), elementAt(before, i), elementAt(after, i))
		}
	case kindMap:
		before, after := split(was, cty.Value.AsValueMap), split(is, cty.Value.AsValueMap)
		both := map[string]cty.Value{}
		maps.Copy(both, before)
		maps.Copy(both, after)
		for _, key := range slices.Sorted(maps.Keys(both)) {
			inside(n.elem, path.IndexString(key), before[key], after[key])
		}
	}
	return paths
}

// split returns the elements or attributes of a value; null has none.
func split[T any](v cty.Value, into func(cty.Value) T) (none T) {
	if v.IsNull() {
		return none
	}
	return into(v)
}

func elementAt(elements []cty.Value, i int) cty.Value {
	if i < len(elements) {
		return elements[i]
	}
	return cty.NilVal
}

// orNull returns v, or null for a missing value.
func (n *node) orNull(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return n.null
	}
	return v
}

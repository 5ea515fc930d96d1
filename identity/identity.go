package identity

import (
	"errors"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Missing reports whether v names nothing: it is null, or all that is in it is
// null or an empty list. An unknown identity is not missing, it is not yet
// known.
func Missing(v cty.Value) bool {
	v, _ = v.Unmark()
	if v.IsNull() {
		return true
	}
	if !v.IsKnown() || !v.CanIterateElements() {
		return false
	}
	for _, e := range v.Elements() {
		if !Missing(e) {
			return false
		}
	}
	return true
}

// Stable reports, with one error for each attribute that changed, whether next
// is still the identity prior. Where prior is missing there is nothing to keep.
//
// An attribute that was null and now has a value has changed, too: see
// [Completes] for the one moment when that is lawful.
func Stable(prior, next cty.Value) error {
	if Missing(prior) {
		return nil
	}
	if Missing(next) {
		return errors.New("there was an identity, but now there is none")
	}
	var p problems
	for _, name := range bothNames(prior, next) {
		before, after := attribute(prior, name), attribute(next, name)
		switch {
		case Key(before) == Key(after) && before.IsWhollyKnown():
		case !after.IsWhollyKnown():
			p.at(name, "the value of the identity was known, but now is not")
		default:
			p.at(name, "the value of the identity has changed")
		}
	}
	if len(p.errs) == 0 && Key(prior) != Key(next) {
		p.add(errors.New("the identity has changed")) // one of them is not an object
	}
	return p.err()
}

// Completes reports whether next is the object prior with at most values filled
// in where prior has none. That is what the first read after an import by a partial
// identity may do.
func Completes(prior, next cty.Value) bool {
	if Missing(prior) {
		return true
	}
	if !next.Type().IsObjectType() {
		return false
	}
	for _, name := range bothNames(prior, next) {
		before := attribute(prior, name)
		if !before.IsNull() && Key(before) != Key(attribute(next, name)) {
			return false
		}
	}
	return true
}

// Complete reports what keeps v from being stored as an identity: it must not
// be missing, must be of the schema's type and wholly known, and must have every
// attribute that is required for import, or else it could not be imported again.
func Complete(schema *configschema.Object, v cty.Value) error {
	if schema == nil {
		return errors.New("the resource type has no identity")
	}
	if Missing(v) {
		return errors.New("the identity is missing")
	}
	if len(v.Type().TestConformance(schema.ImpliedType())) > 0 {
		return errors.New("the identity is not of the type that its schema has")
	}
	var p problems
	for _, name := range sortedNames(schema) {
		value := attribute(v, name)
		switch attr := schema.Attributes[name]; {
		case !value.IsWhollyKnown():
			p.at(name, "the value of the identity is not known")
		case attr != nil && attr.Required && value.IsNull():
			p.at(name, "the identity lacks a value that is required for import")
		}
	}
	return p.err()
}

// CheckImport reports whether an object can be imported by what is given:
// exactly one of an id, which is not empty, and an identity, which is not null
// and is [Complete]. The schema is nil for a resource type without identity.
func CheckImport(schema *configschema.Object, id string, identity cty.Value) error {
	hasIdentity := !identity.IsNull()
	switch {
	case id == "" && !hasIdentity:
		return errors.New("neither an import id nor an identity is given")
	case id != "" && hasIdentity:
		return errors.New("both an import id and an identity are given; only one of them can name the object")
	case hasIdentity:
		return Complete(schema, identity)
	default:
		return nil
	}
}

// bothNames is the sorted names of the attributes of either object.
func bothNames(a, b cty.Value) []string {
	names := slices.AppendSeq(objectNames(a), slices.Values(objectNames(b)))
	slices.Sort(names)
	return slices.Compact(names)
}

func objectNames(v cty.Value) []string {
	if v == cty.NilVal || !v.Type().IsObjectType() {
		return nil
	}
	return slices.Collect(maps.Keys(v.Type().AttributeTypes()))
}

// attribute is the attribute of an object; null where there is no such
// attribute or no object.
func attribute(v cty.Value, name string) cty.Value {
	if v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	v, _ = v.GetAttr(name).UnmarkDeep()
	return v
}

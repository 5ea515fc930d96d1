package identity

import (
	"errors"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Missing reports whether v identifies nothing: it is null, or all its
// attributes are null or empty lists. An unknown identity is not missing.
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

// Stable returns an error for each attribute of prior that differs in next. If
// prior is missing, it returns nil.
//
// An attribute that was null and has a value in next has changed too.
func Stable(prior, next cty.Value) error {
	if Missing(prior) {
		return nil
	}
	if Missing(next) {
		return errors.New("the identity is missing now")
	}
	var p problems
	for _, name := range bothNames(prior, next) {
		before, after := attribute(prior, name), attribute(next, name)
		switch {
		case Key(before) == Key(after) && before.IsWhollyKnown():
		case !after.IsWhollyKnown():
			p.at(name, "the value of the identity was known and is unknown now")
		default:
			p.at(name, "the value of the identity has changed")
		}
	}
	if len(p.errs) == 0 && Key(prior) != Key(next) {
		p.add(errors.New("the identity has changed")) // prior or next is not an object
	}
	return p.err()
}

// Complete returns an error if v cannot be stored as an identity: it must not
// be missing, must have the type of the schema, be wholly known, and have every
// attribute that is required for import.
func Complete(schema *configschema.Object, v cty.Value) error {
	if schema == nil {
		return errors.New("the resource type has no identity")
	}
	if Missing(v) {
		return errors.New("the identity is missing")
	}
	if len(v.Type().TestConformance(schema.ImpliedType())) > 0 {
		return errors.New("the identity does not have the type of its schema")
	}
	var p problems
	for _, name := range sortedNames(schema) {
		value := attribute(v, name)
		switch attr := schema.Attributes[name]; {
		case !value.IsWhollyKnown():
			p.at(name, "the value of the identity is unknown")
		case attr != nil && attr.Required && value.IsNull():
			p.at(name, "the identity has no value for an attribute that is required for import")
		}
	}
	return p.err()
}

// CheckImport returns an error unless an object can be imported: exactly one of
// a non-empty ID and a non-null [Complete] identity must be given. The schema
// is nil for a resource type without identity.
func CheckImport(schema *configschema.Object, id string, identity cty.Value) error {
	hasIdentity := !identity.IsNull()
	switch {
	case id == "" && !hasIdentity:
		return errors.New("neither an import ID nor an identity is set")
	case id != "" && hasIdentity:
		return errors.New("both an import ID and an identity are set; set only one of them")
	case hasIdentity:
		return Complete(schema, identity)
	default:
		return nil
	}
}

// bothNames returns the sorted names of the attributes of both objects.
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

// attribute returns an attribute of an object, or null if the attribute or the
// object does not exist.
func attribute(v cty.Value, name string) cty.Value {
	if v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	v, _ = v.GetAttr(name).UnmarkDeep()
	return v
}

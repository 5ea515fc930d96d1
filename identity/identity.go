// Package identity implements resource identities: which schemas are valid,
// whether an identity is missing, complete or changed, and whether an object
// can be imported by ID or identity.
//
// An identity schema is a [configschema.Object] with single nesting, where
// Required means required for import and Optional means optional for import. An
// identity is an object of its implied type. Packages runtime, guard, engine and
// acctest/conformance apply the rules; guard finds repeated identities by their keys.
//
// Invariants: the functions are pure and never panic. Errors about attributes
// are [cty.PathError]s, joined and sorted by name; the path is inside the
// identity, not inside the resource. Errors contain names of attributes, never
// values.
//
// Elsewhere: package runtime decides when an identity may change (MutableIdentity, the
// read after an import); package internal/wire has the protocol form.
package identity

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// Missing reports whether v identifies nothing: v is null, or all its attributes are
// null, empty lists or lists of nulls. An unknown identity is not missing.
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

// Stable returns an error for each attribute that differs between prior and
// next or is unknown in both. It returns a single error if next is missing or
// only the types differ. If prior is missing, it returns nil.
//
// An attribute that was null and has a value in next has changed too.
func Stable(prior, next cty.Value) error {
	if Missing(prior) {
		return nil
	}
	if Missing(next) {
		return errors.New("the identity was set and is missing now")
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
		// Prior or next is not an object, or one of them lacks an attribute that is null in the other.
		p.add(errors.New("the identity has changed"))
	}
	return p.err()
}

// Complete returns an error if v cannot be stored as an identity: it must not
// be missing, must have the type of the schema, must be wholly known, and must have a
// value for every attribute that is required for import.
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
// is nil for a resource type without an identity.
func CheckImport(schema *configschema.Object, id string, identity cty.Value) error {
	hasIdentity := !identity.IsNull()
	switch {
	case id == "" && !hasIdentity:
		return errors.New("neither an import ID nor an identity is set; set one of them")
	case id != "" && hasIdentity:
		return errors.New("both an import ID and an identity are set; set only one of them")
	case hasIdentity:
		return Complete(schema, identity)
	default:
		return nil
	}
}

// bothNames returns the sorted names of the attributes of either object, each once.
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

// attribute returns an attribute of v without marks, or null if v is null, is
// not an object or does not have the attribute.
func attribute(v cty.Value, name string) cty.Value {
	if v.IsNull() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
		return cty.NullVal(cty.DynamicPseudoType)
	}
	v, _ = v.GetAttr(name).UnmarkDeep()
	return v
}

// attributeName matches the names that plugin-framework accepts. Terraform
// itself accepts any name.
var attributeName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Validate returns an error if schema is not a valid identity schema by the
// strictest of the rules of Terraform and both provider SDKs: at least one
// attribute, each either required or optional for import, of type bool, number,
// string or list of these, and without fields that concern configuration.
func Validate(schema *configschema.Object) error {
	if schema == nil {
		return errors.New("the identity schema is missing")
	}
	var p problems
	if schema.Nesting != configschema.NestingSingle {
		p.add(errors.New("the nesting mode of an identity must be single"))
	}
	if len(schema.Attributes) == 0 {
		p.add(errors.New("an identity must have at least one attribute"))
	}
	for _, name := range sortedNames(schema) {
		p.attribute(name, schema.Attributes[name])
	}
	return p.err()
}

func (p *problems) attribute(name string, attr *configschema.Attribute) {
	if !attributeName.MatchString(name) {
		p.at(name, "the name must consist of lower-case letters, digits and underscores and not start with a digit")
	}
	if attr == nil {
		p.at(name, "the schema of the attribute is missing")
		return
	}
	if attr.Required == attr.Optional {
		p.at(name, "exactly one of required and optional for import must be set")
	}
	if attr.Computed || attr.Sensitive || attr.WriteOnly || attr.Deprecated || attr.DeprecationMessage != "" {
		p.at(name, "computed, sensitive, write-only and deprecated have no meaning in an identity")
	}
	switch {
	case attr.NestedType != nil:
		p.at(name, "an identity must not have nested types")
	case !allowedType(attr.Type):
		p.at(name, "the type must be bool, number, string or a list of these")
	}
}

func allowedType(ty cty.Type) bool {
	switch {
	case ty == cty.NilType:
		return false
	case ty.IsListType():
		return ty.ElementType().IsPrimitiveType()
	default:
		return ty.IsPrimitiveType()
	}
}

func sortedNames(schema *configschema.Object) []string {
	return slices.Sorted(maps.Keys(schema.Attributes))
}

// problems collects errors in the order in which they were found.
type problems struct{ errs []error }

func (p *problems) add(err error) { p.errs = append(p.errs, err) }

// at adds an error about an attribute. The text contains the name too, because
// clients rarely show paths inside the identity.
func (p *problems) at(name, text string) {
	p.add(cty.GetAttrPath(name).NewError(fmt.Errorf("%s: %s", name, text)))
}

func (p *problems) err() error { return errors.Join(p.errs...) }

// maxDecimalBits is the size up to which the key of an integer is decimal. The
// decimal form of 1e999999999 would use up the memory.
const maxDecimalBits = 1024

// Key returns a string that is the same for two values of one type, other than
// a capsule type, if and only if they are equal. Marks, and refinements of unknown
// values, are ignored. Null, unknown and empty values have different keys. The key is
// meant for maps and comparisons and is the same in every run. It contains the
// values, so it must not be shown.
func Key(v cty.Value) string {
	if v.ContainsMarked() {
		v, _ = v.UnmarkDeep()
	}
	return string(appendKey(nil, v))
}

// appendKey appends an unambiguous form of v: every part is a token, a quoted
// string, or in brackets with separators.
func appendKey(b []byte, v cty.Value) []byte {
	switch ty := v.Type(); {
	case v.IsNull():
		return append(b, "null"...)
	case !v.IsKnown():
		return append(b, '?')
	case ty == cty.String:
		return strconv.AppendQuote(b, v.AsString())
	case ty == cty.Bool:
		return strconv.AppendBool(b, v.True())
	case ty == cty.Number:
		return appendNumber(b, v.AsBigFloat())
	case ty.IsObjectType():
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			b = strconv.AppendQuote(b, name)
			b = append(b, ':')
			b = appendKey(b, v.GetAttr(name))
			b = append(b, ',')
		}
		return append(b, '}')
	case v.CanIterateElements():
		b = append(b, '[')
		for key, e := range v.Elements() {
			if ty.IsMapType() {
				b = strconv.AppendQuote(b, key.AsString())
				b = append(b, ':')
			}
			b = appendKey(b, e)
			b = append(b, ',')
		}
		return append(b, ']')
	default:
		return append(b, "opaque"...)
	}
}

// appendNumber appends a number so that numbers that are equal in cty have the same
// form: integers by value, others by their shortest decimal form.
func appendNumber(b []byte, f *big.Float) []byte {
	switch {
	case !f.IsInt():
		return f.Append(b, 'g', -1)
	case f.MantExp(nil) <= maxDecimalBits:
		i, _ := f.Int(nil)
		return i.Append(b, 10)
	default:
		// This form does not depend on the precision of the number either.
		return f.Append(b, 'p', 0)
	}
}

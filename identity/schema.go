package identity

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// attributeName is what plugin-framework asks of names; Terraform itself asks
// for nothing.
var attributeName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// Validate reports whether schema may be the schema of an identity, with the
// strictest of the rules of Terraform and of both provider SDKs: at least one
// attribute, each either required or optional for import, of type bool, number,
// string or list of these, and with nothing that concerns configuration.
func Validate(schema *configschema.Object) error {
	if schema == nil {
		return errors.New("there is no identity schema")
	}
	var p problems
	if schema.Nesting != configschema.NestingSingle {
		p.add(errors.New("an identity is a single object: its nesting mode must be single"))
	}
	if len(schema.Attributes) == 0 {
		p.add(errors.New("an identity has at least one attribute"))
	}
	for _, name := range sortedNames(schema) {
		p.attribute(name, schema.Attributes[name])
	}
	return p.err()
}

func (p *problems) attribute(name string, attr *configschema.Attribute) {
	if !attributeName.MatchString(name) {
		p.at(name, "the name may have lower-case letters, digits and underscores only, and no digit first")
	}
	if attr == nil {
		p.at(name, "there is no schema for the attribute")
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
		p.at(name, "a nested type is not possible in an identity")
	case !allowedType(attr.Type):
		p.at(name, "the type must be bool, number, string or a list of one of these")
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

// problems collects errors in the order in which they are found.
type problems struct{ errs []error }

func (p *problems) add(err error) { p.errs = append(p.errs, err) }

// at adds an error about an attribute. The name stands in the text as well,
// because the path leads into the identity, which messages seldom show.
func (p *problems) at(name, text string) {
	p.add(cty.GetAttrPath(name).NewError(fmt.Errorf("%s: %s", name, text)))
}

func (p *problems) err() error { return errors.Join(p.errs...) }

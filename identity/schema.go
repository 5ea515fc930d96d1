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

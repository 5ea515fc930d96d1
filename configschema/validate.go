package configschema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// blockTypeName matches names of block types. Neither Terraform nor OpenTofu
// restricts the names of attributes.
var blockTypeName = regexp.MustCompile(`^[a-z0-9_]+$`)

// InternalValidate returns an error if Terraform or OpenTofu would not load the
// schema. The error joins one error for each violation, sorted by path: a
// [cty.PathError] whose text starts with the path, unless the violation is about
// the schema as a whole. The path is that of the schema element, without steps to
// elements of collections.
func (b *Block) InternalValidate() error {
	v := validation{at: make([]string, 0, 8)}
	v.block(b)
	return v.err()
}

// InternalValidate is like [Block.InternalValidate] for a nested type. Package
// identity has the additional rules for identities.
func (o *Object) InternalValidate() error {
	v := validation{at: make([]string, 0, 8)}
	v.object(o)
	return v.err()
}

// validation collects violations in the order of the walk. Most schemas are
// valid, so paths are built only for violations.
type validation struct {
	// at has the names of the current element and its parents, outermost first.
	at     []string
	broken []violation
}

func (v *validation) enter(name string) { v.at = append(v.at, name) }
func (v *validation) leave()            { v.at = v.at[:len(v.at)-1] }

// violation is a broken rule at a schema element. at has the names of the element and its
// parents, outermost first.
type violation struct {
	at   []string
	text string
}

// add records a violation at the current element.
func (v *validation) add(text string) {
	v.broken = append(v.broken, violation{slices.Clone(v.at), text})
}

// err joins the violations, sorted by path and then by the order of the walk.
func (v *validation) err() error {
	slices.SortStableFunc(v.broken, func(a, b violation) int { return slices.Compare(a.at, b.at) })
	errs := make([]error, len(v.broken))
	for i, b := range v.broken {
		errs[i] = b.err()
	}
	return errors.Join(errs...)
}

func (b *violation) err() error {
	err := errors.New(b.text)
	if len(b.at) == 0 {
		return err
	}
	path := make(cty.Path, len(b.at))
	for i, name := range b.at {
		path[i] = cty.GetAttrStep{Name: name}
	}
	return path.NewError(fmt.Errorf("%s: %w", strings.Join(b.at, "."), err))
}

func (v *validation) block(b *Block) {
	if b == nil {
		v.add("the block schema is missing")
		return
	}
	v.deprecation(b.Deprecated, b.DeprecationMessage)
	for name, attr := range b.Attributes {
		v.enter(name)
		if _, isBlock := b.BlockTypes[name]; isBlock {
			v.add("the name is used for an attribute and for a block type")
		}
		v.attribute(attr)
		if b.Computed && attr != nil && !attr.Computed {
			v.add("an attribute of a computed block must be computed")
		}
		v.leave()
	}
	for name, nested := range b.BlockTypes {
		v.enter(name)
		v.nestedBlock(name, nested)
		if b.Computed && nested != nil && !nested.Computed {
			v.add("a block in a computed block must be computed")
		}
		v.leave()
	}
}

func (v *validation) nestedBlock(name string, b *NestedBlock) {
	if b == nil {
		v.add("the schema of the block type is missing")
		return
	}
	if !blockTypeName.MatchString(name) {
		v.add("the name of a block type must consist of lower-case letters, digits and underscores")
	}
	if b.MinItems < 0 || b.MaxItems < 0 {
		v.add("MinItems and MaxItems must not be negative")
	}
	if b.Computed && b.Nesting == NestingGroup {
		v.add("with group nesting, a block must not be computed")
	}
	if b.Computed && b.MinItems > 0 && (b.Nesting == NestingList || b.Nesting == NestingSet) {
		v.add("MinItems of a computed block must be 0")
	}
	switch b.Nesting {
	case NestingSingle:
		if b.MinItems != b.MaxItems || b.MinItems < 0 || b.MinItems > 1 {
			v.add("with single nesting, MinItems and MaxItems must both be 0 or both be 1")
		}
	case NestingGroup, NestingMap:
		if b.MinItems != 0 || b.MaxItems != 0 {
			v.add("with group and map nesting, MinItems and MaxItems must be 0")
		}
	case NestingList, NestingSet:
		if b.MinItems > b.MaxItems && b.MaxItems != 0 {
			v.add("MinItems must not be greater than MaxItems")
		}
		if b.Nesting == NestingSet {
			v.set(&b.Block)
		}
	default:
		v.add("the nesting mode must be single, group, list, set or map")
	}
	v.block(&b.Block)
}

func (v *validation) attribute(a *Attribute) {
	if a == nil {
		v.add("the schema of the attribute is missing")
		return
	}
	if !a.Required && !a.Optional && !a.Computed {
		v.add("none of Required, Optional and Computed is set")
	}
	if a.Required && a.Optional {
		v.add("Required and Optional are both set")
	}
	if a.Required && a.Computed {
		v.add("Required and Computed are both set")
	}
	v.deprecation(a.Deprecated, a.DeprecationMessage)
	switch {
	case a.Type == cty.NilType && a.NestedType == nil:
		v.add("neither Type nor NestedType is set")
	case a.Type != cty.NilType && a.NestedType != nil:
		v.add("Type and NestedType are both set")
	case a.NestedType != nil:
		v.object(a.NestedType)
	}
}

func (v *validation) object(o *Object) {
	if o == nil {
		v.add("the object schema is missing")
		return
	}
	switch o.Nesting {
	case NestingSingle, NestingList, NestingMap:
	case NestingSet:
		v.set(o)
	default:
		v.add("the nesting mode must be single, list, set or map")
	}
	for name, attr := range o.Attributes {
		v.enter(name)
		v.attribute(attr)
		v.leave()
	}
}

// set checks the elements of a set, at any depth. The elements of a set must have one
// type, and their identity must not depend on write-only values.
func (v *validation) set(element container) {
	if element.contains(isDynamic) {
		v.add("a dynamic type must not be inside a set")
	}
	if element.contains(isWriteOnly) {
		v.add("a write-only attribute must not be inside a set")
	}
}

func (v *validation) deprecation(deprecated bool, message string) {
	if message != "" && !deprecated {
		v.add("DeprecationMessage is set but Deprecated is not")
	}
}

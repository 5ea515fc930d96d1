package configschema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// blockTypeName is enforced for block types alone: both engines deliberately
// leave the names of attributes to the provider.
var blockTypeName = regexp.MustCompile(`^[a-z0-9_]+$`)

// InternalValidate reports whether the schema is lawful, that is, whether both
// Terraform and OpenTofu load it. The error joins one [cty.PathError] for each
// broken rule, sorted by path; the path is that of the schema element, without
// steps for elements of collections, and the text begins with it.
func (b *Block) InternalValidate() error {
	v := validation{at: make([]string, 0, 8)}
	v.block(b)
	return v.err()
}

// InternalValidate is [Block.InternalValidate] for a nested type on its own.
// Package identity has the further rules of identities.
func (o *Object) InternalValidate() error {
	v := validation{at: make([]string, 0, 8)}
	v.object(o)
	return v.err()
}

// validation collects broken rules, in the order of visits. A provider may have
// a thousand schemas without a mistake, so nothing is sorted or put together
// before one is found.
type validation struct {
	// at are the names of the elements that are looked at, outermost first.
	at     []string
	broken []violation
}

func (v *validation) enter(name string) { v.at = append(v.at, name) }
func (v *validation) leave()            { v.at = v.at[:len(v.at)-1] }

// violation is a broken rule at the element whose names, outermost first, are
// in at.
type violation struct {
	at   []string
	text string
}

// add records a broken rule.
func (v *validation) add(text string) {
	v.broken = append(v.broken, violation{slices.Clone(v.at), text})
}

// err joins the broken rules, sorted by path, and as they were found where the
// path is the same.
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
		v.add("there is no block schema")
		return
	}
	v.deprecation(b.Deprecated, b.DeprecationMessage)
	for name, attr := range b.Attributes {
		v.enter(name)
		if _, isBlock := b.BlockTypes[name]; isBlock {
			v.add("the name is both an attribute and a block type")
		}
		v.attribute(attr)
		v.leave()
	}
	for name, nested := range b.BlockTypes {
		v.enter(name)
		v.nestedBlock(name, nested)
		v.leave()
	}
}

func (v *validation) nestedBlock(name string, b *NestedBlock) {
	if b == nil {
		v.add("there is no schema for the block type")
		return
	}
	if !blockTypeName.MatchString(name) {
		v.add("the name of a block type may have lower-case letters, digits and underscores only")
	}
	if b.MinItems < 0 || b.MaxItems < 0 {
		v.add("MinItems and MaxItems may not be negative")
	}
	switch b.Nesting {
	case NestingSingle:
		if b.MinItems != b.MaxItems || b.MinItems < 0 || b.MinItems > 1 {
			v.add("with single nesting MinItems and MaxItems are both 0 or both 1")
		}
	case NestingGroup, NestingMap:
		if b.MinItems != 0 || b.MaxItems != 0 {
			v.add("with group and map nesting MinItems and MaxItems are 0")
		}
	case NestingList, NestingSet:
		if b.MinItems > b.MaxItems && b.MaxItems != 0 {
			v.add("MinItems may not be greater than MaxItems")
		}
		if b.Nesting == NestingSet {
			v.set(&b.Block)
		}
	default:
		v.add("the nesting mode is not one of single, group, list, set and map")
	}
	v.block(&b.Block)
}

func (v *validation) attribute(a *Attribute) {
	if a == nil {
		v.add("there is no schema for the attribute")
		return
	}
	if !a.Required && !a.Optional && !a.Computed {
		v.add("none of Required, Optional and Computed is set")
	}
	if a.Required && a.Optional {
		v.add("Required and Optional exclude each other")
	}
	if a.Required && a.Computed {
		v.add("Required and Computed exclude each other")
	}
	v.deprecation(a.Deprecated, a.DeprecationMessage)
	switch {
	case a.Type == cty.NilType && a.NestedType == nil:
		v.add("neither Type nor NestedType is set")
	case a.Type != cty.NilType && a.NestedType != nil:
		v.add("Type and NestedType exclude each other")
	case a.NestedType != nil:
		v.object(a.NestedType)
	}
}

func (v *validation) object(o *Object) {
	if o == nil {
		v.add("there is no object schema")
		return
	}
	switch o.Nesting {
	case NestingSingle, NestingList, NestingMap:
	case NestingSet:
		v.set(o)
	default:
		v.add("the nesting mode is not one of single, list, set and map")
	}
	for name, attr := range o.Attributes {
		v.enter(name)
		v.attribute(attr)
		v.leave()
	}
}

// set has the rules for what is inside a set, at any depth: elements of a set
// need one type, and are compared by values that write-only attributes never
// have.
func (v *validation) set(element container) {
	if element.contains(isDynamic) {
		v.add("there may be no dynamic type inside a set")
	}
	if element.contains(isWriteOnly) {
		v.add("there may be no write-only attribute inside a set")
	}
}

func (v *validation) deprecation(deprecated bool, message string) {
	if message != "" && !deprecated {
		v.add("DeprecationMessage is set but Deprecated is not")
	}
}

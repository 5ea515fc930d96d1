package runtime

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// compileFields compiles the exported fields of a struct, sorted by attribute name.
// Fields of embedded structs count as fields of the struct.
func compileFields(t reflect.Type) ([]*field, error) {
	w := walkFields(t, 0)
	return w.fields, errors.Join(w.errs...)
}

// walkFields is compileFields for callers that continue with the fields without mistakes.
func walkFields(t reflect.Type, depth int) fieldWalk {
	w := fieldWalk{depth: depth, fields: make([]*field, 0, t.NumField())}
	w.walk(t, nil)
	slices.SortStableFunc(w.fields, func(a, b *field) int { return strings.Compare(a.name, b.name) })
	for i := 1; i < len(w.fields); i++ {
		if a, b := w.fields[i-1], w.fields[i]; a.name == b.name {
			w.errs = append(w.errs, fmt.Errorf("%s and %s are both the attribute %q", a.goStr(), b.goStr(), a.name))
			w.broken = append(w.broken, a.name)
		}
	}
	return w
}

// fieldWalk collects the fields of a struct and of the structs embedded in it.
type fieldWalk struct {
	depth  int
	fields []*field
	errs   []error
	broken []string // names of attributes with mistakes
	// tooDeep is set if a field of a nested struct is nested too deeply, for example because the
	// struct contains itself. The other fields of the struct are then not walked, because each of
	// them could take as long.
	tooDeep bool
}

// walk collects the fields of t, which is at index in the struct.
func (w *fieldWalk) walk(t reflect.Type, index []int) {
	docs := descriptionsOf(t)
	owner := t.String()
	if strings.IndexByte(owner, '[') >= 0 {
		owner = t.Name()
	}
	owner += "."
	all := make([]field, t.NumField()) // one allocation for all
	for i := range all {
		if w.tooDeep {
			return
		}
		sf := t.Field(i)
		text := sf.Tag.Get("tf")
		if sf.Anonymous && text == "" && sf.Type.Kind() == reflect.Struct && !isText(sf.Type) {
			w.walk(sf.Type, within(index, sf))
			continue
		}
		f := &all[i]
		f.owner, f.goName = owner, sf.Name
		kept, err := f.read(sf, text, w.depth)
		switch {
		case err != nil:
			w.errs = append(w.errs, fmt.Errorf("%s: %w", f.goStr(), err))
			w.broken = append(w.broken, f.name, snakeCase(f.goName))
			w.tooDeep = w.depth > 0 && errors.Is(err, errTooDeep)
		case kept:
			f.index = within(index, sf)
			if docs != nil {
				f.doc, f.deprecated = deprecation(docs[t.Name()+"."+sf.Name])
			}
			w.fields = append(w.fields, f)
		}
	}
}

// within returns the index of a field of the struct at index.
func within(index []int, sf reflect.StructField) []int {
	if len(index) == 0 {
		return sf.Index
	}
	return append(slices.Clip(index), sf.Index...)
}

// read compiles a field from its type and tag. It reports whether the field is an
// attribute.
func (f *field) read(sf reflect.StructField, text string, depth int) (kept bool, err error) {
	switch {
	case sf.Anonymous && text == "" && sf.Type.Kind() == reflect.Pointer && hasFields(sf.Type.Elem()):
		return false, errors.New("the fields of an embedded pointer are not attributes; embed the struct itself, or tag the field \"-\"")
	case !sf.IsExported():
		if text != "" && text != "-" {
			return false, errors.New("it has a tf tag but is not exported")
		}
		return false, nil
	}
	if f.tag, err = parseTag(sf.Name, text); err == nil && !f.skip {
		f.step.Name = f.name
		if f.node, err = compileType(sf.Type, f.set, depth); err == nil {
			err = f.check()
		}
	}
	return err == nil && !f.skip, err
}

var describerType = reflect.TypeFor[Describer]()

// descriptionsOf returns the descriptions of a struct type, or nil if it is not a [Describer].
func descriptionsOf(t reflect.Type) map[string]string {
	if !reflect.PointerTo(t).Implements(describerType) {
		return nil
	}
	d, _ := reflect.TypeAssert[Describer](reflect.New(t))
	return d.Descriptions()
}

// check returns an error for an invalid combination of type and options.
func (f *field) check() error {
	nested, _ := f.node.nesting()
	switch {
	case nested == nil && f.node.hasObjects():
		return errors.New("a struct can be a field or the element of one slice or map, not of a collection inside another")
	case f.block && nested == nil:
		return errors.New("the tag option \"block\" needs a struct, or a slice or map of structs")
	case !f.block && nested != nil && nested.anyField(func(f *field) bool { return f.block }):
		return errors.New("a nested attribute cannot have blocks inside it; tag it block too, or remove the tags of the blocks")
	case f.block && (f.sensitive || f.writeOnly || f.computed || f.volatile):
		return errors.New("a block cannot be sensitive, writeonly, computed, volatile or transient; its attributes can be sensitive, writeonly or computed")
	case f.block && nested.ctyType.HasDynamicTypes() && nested != f.node.innermost():
		return errors.New("a repeated block cannot have attributes of dynamic type; use a nested attribute")
	case f.block && !f.isBlockType():
		return errors.New("a block must be a struct, a pointer to a struct, or a slice or map of structs, not a Value or a pointer to a slice or map")
	case f.set && f.node.hasWriteOnly:
		return errors.New("a set cannot have writeonly attributes inside it: its elements are identified by their values")
	case nested != nil && nested.anyField(func(f *field) bool { return f.volatile }):
		return errors.New("an attribute of a nested struct cannot be volatile or transient")
	case nested != nil && nested.anyField(func(f *field) bool { return f.keep }):
		return errors.New("the option keep is for whole outputs, not for an attribute of a nested struct, which keeps its value anyway")
	case f.keep && f.volatile:
		return errors.New("an attribute that is volatile or transient cannot have the option keep")
	case f.replace && f.replaceProblem() != "":
		return errors.New("it has the option replace, but it " + f.replaceProblem())
	case f.writeOnly && nested != nil && nested.anyField(replaces):
		return errors.New("it contains an attribute with the option replace, but it " + f.replaceProblem())
	case nested != nil && nested.anyField(func(f *field) bool { return f.computedOnly() && f.node.anyField(replaces) }):
		return errors.New("it has the option replace inside an attribute that only the provider determines; remove replace, or make that attribute optional")
	case f.set && nested != nil && nested.anyField(replaces):
		return errors.New("it has the option replace inside a set, whose elements are identified by their values; put the option on the set")
	case f.writeOnly && (f.computed || f.volatile || nested != nil && nested.anyField(func(f *field) bool { return f.computed })):
		return errors.New("a write-only input is never stored, so neither it nor its attributes can be computed, volatile or transient")
	}
	return nil
}

// isBlockType reports whether the type can be a nested block.
func (f *field) isBlockType() bool {
	switch n := f.node; n.kind { //nolint:exhaustive // the default is for the other kinds
	case kindPointer:
		return n.elem.kind == kindObject
	default:
		return n.kind != kindValue
	}
}

// anyField passes the fields of the objects in n, at any depth, to the function is, and reports
// whether that returns true for one of them.
func (n *node) anyField(is func(*field) bool) bool {
	inner := n.innermost()
	if inner.elem != nil {
		return inner.elem.anyField(is)
	}
	return slices.ContainsFunc(inner.fields, func(f *field) bool { return is(f) || f.node.anyField(is) })
}

// hasFields reports whether t is a struct whose fields can be attributes.
func hasFields(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isText(t) &&
		slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.IsExported() && !f.Anonymous })
}

// nullable reports whether the Go type can hold null. A zero value that may stand for null, such as
// a nil slice, does not count.
func (n *node) nullable() bool {
	switch n.kind {
	case kindPointer, kindValue, kindDynamic, kindAny, kindBigFloat:
		return true
	default:
		return false
	}
}

// required reports whether the configuration must set the field.
func (f *field) required() bool {
	return !f.optional && !f.block && !f.computed && f.def == cty.NilVal &&
		f.node.kind != kindPointer && f.node.kind != kindValue
}

// isConfigured is isSet for the value of the field in a configuration. The collection of repeated
// blocks is never null: it is empty if there are no blocks.
func (f *field) isConfigured(v cty.Value) (set, certain bool) {
	if f.block && v.Type().IsCollectionType() {
		return !v.IsKnown() || !v.IsNull() && v.LengthInt() > 0, v.IsKnown()
	}
	return isSet(v)
}

// computedOnly reports whether only the provider determines the field of a nested
// struct. A field that is optional too can be configured.
func (f *field) computedOnly() bool { return f.computed && !f.optional }

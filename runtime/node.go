package runtime

import (
	"encoding"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// kind is how a Go type is converted to a cty type.
type kind uint8

const (
	kindString kind = iota
	kindBool
	kindInt
	kindUint
	kindFloat
	kindBigFloat
	kindText    // encoding.TextMarshaler and TextUnmarshaler, as a string
	kindDynamic // cty.Value
	kindAny     // any, as plain Go values
	kindPointer
	kindValue // Value[T]
	kindList
	kindSet
	kindMap
	kindObject
)

// node converts values of one Go type. It is immutable once compiled, and is shared by all calls.
type node struct {
	kind    kind
	goType  reflect.Type
	ctyType cty.Type
	null    cty.Value
	unknown cty.Value

	elem   *node    // of pointers, Values, lists, sets and maps
	fields []*field // of objects, sorted by name
	rules  rules    // of objects

	// resolves is set if the objects in it have attributes that are computed or write-only or have a
	// default, or if a type in it has equivalent texts.
	resolves bool
	// hasWriteOnly is set if objects in it have write-only attributes.
	hasWriteOnly bool
	// deprecates is set if objects in it have deprecated attributes.
	deprecates bool
	// equals is the SemanticEquals method of a string type, or nil.
	equals *reflect.Method
}

// field is one attribute of an object.
type field struct {
	tag
	node     *node
	index    []int // for reflect.Value.FieldByIndex
	step     cty.GetAttrStep
	owner    string // the name of the struct's type, followed by a dot
	goName   string
	doc      string        // for the schema
	def      cty.Value     // the default as a configured value, or NilVal
	defsWith []defaultWith // other defaults; the first one that applies counts
	// deprecated is the deprecation message; empty if the field is not deprecated.
	deprecated string
}

// goStr returns Type.Field for messages to the author.
func (f *field) goStr() string { return f.owner + f.goName }

var (
	bigFloatType        = reflect.TypeFor[*big.Float]()
	ctyValueType        = reflect.TypeFor[cty.Value]()
	stringMapType       = reflect.TypeFor[map[string]string]()
	durationType        = reflect.TypeFor[time.Duration]()
	anyType             = reflect.TypeFor[any]()
	anyValueType        = reflect.TypeFor[anyValue]()
	textMarshalerType   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// maxDepth limits the nesting of types, so that a recursive type is an error.
const maxDepth = 12

var errTooDeep = fmt.Errorf("is nested deeper than %d levels, or contains itself", maxDepth)

// plans and setPlans cache the nodes (*node by reflect.Type) of types without
// objects, because the many fields of a provider have only a few such types. The nodes of
// fields tagged set are in setPlans.
var plans, setPlans sync.Map

// compileType compiles a Go type; set makes a slice a set.
func compileType(t reflect.Type, set bool, depth int) (*node, error) {
	known := &plans
	if set {
		known = &setPlans
	}
	if n, ok := known.Load(t); ok {
		return n.(*node), nil //nolint:forcetypeassert // plans and setPlans have only nodes
	}
	n, err := compileNew(t, set, depth)
	if err == nil && !n.hasObjects() {
		known.Store(t, n)
	}
	return n, err
}

func compileNew(t reflect.Type, set bool, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("the type %s %w", t, errTooDeep)
	}
	n := &node{goType: t}
	var err error
	switch {
	case t == bigFloatType:
		n.kind, n.ctyType = kindBigFloat, cty.Number
	case t == ctyValueType:
		n.kind, n.ctyType = kindDynamic, cty.DynamicPseudoType
	case t == durationType:
		return nil, errors.New("a time.Duration would be a number of nanoseconds; use runtime.Duration, or an integer with the unit in its name")
	case t == anyType:
		n.kind, n.ctyType = kindAny, cty.DynamicPseudoType
	case reflect.PointerTo(t).Implements(anyValueType):
		n.kind = kindValue
		v := reflect.New(t).Interface().(anyValue) //nolint:forcetypeassert // just checked
		if n.elem, err = compileType(v.valueElem().Type(), set, depth+1); err == nil {
			n.ctyType = n.elem.ctyType
		}
	case isText(t):
		n.kind, n.ctyType = kindText, cty.String
	default:
		err = n.compileKind(t, set, depth)
	}
	if err != nil {
		return nil, err
	}
	if set && n.kind != kindSet && (n.elem == nil || n.elem.kind != kindSet) {
		return nil, fmt.Errorf("the tag option \"set\" needs a slice, not %s", t)
	}
	n.null, n.unknown = cty.NullVal(n.ctyType), cty.UnknownVal(n.ctyType)
	if err := n.readText(); err != nil {
		return nil, err
	}
	if err := n.inherit(); err != nil {
		return nil, err
	}
	return n, nil
}

func isText(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return false
	}
	return reflect.PointerTo(t).Implements(textMarshalerType) && reflect.PointerTo(t).Implements(textUnmarshalerType)
}

func (n *node) compileKind(t reflect.Type, set bool, depth int) (err error) {
	switch t.Kind() {
	case reflect.String:
		n.kind, n.ctyType = kindString, cty.String
	case reflect.Bool:
		n.kind, n.ctyType = kindBool, cty.Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n.kind, n.ctyType = kindInt, cty.Number
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n.kind, n.ctyType = kindUint, cty.Number
	case reflect.Float32, reflect.Float64:
		n.kind, n.ctyType = kindFloat, cty.Number
	case reflect.Pointer:
		n.kind = kindPointer
		if n.elem, err = compileType(t.Elem(), set, depth+1); err == nil {
			n.ctyType = n.elem.ctyType
		}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return fmt.Errorf("bytes (%s) have no attribute type; use a string, with base64 for binary data", t)
		}
		if n.elem, err = compileType(t.Elem(), false, depth+1); err != nil {
			return err
		}
		n.kind, n.ctyType = kindList, cty.List(n.elem.ctyType)
		if set {
			n.kind, n.ctyType = kindSet, cty.Set(n.elem.ctyType)
			if n.elem.ctyType.HasDynamicTypes() {
				return fmt.Errorf("a set cannot have elements of dynamic type (%s)", t)
			}
		}
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			return fmt.Errorf("a map needs keys of type string, not %s", t.Key())
		}
		if n.elem, err = compileType(t.Elem(), false, depth+1); err == nil {
			n.kind, n.ctyType = kindMap, cty.Map(n.elem.ctyType)
		}
	case reflect.Struct:
		n.kind = kindObject
		w := walkFields(t, depth+1)
		if w.tooDeep {
			return errors.Join(w.errs...)
		}
		n.fields = w.fields
		if len(w.errs) == 0 {
			n.ctyType = objectType(n.fields)
		}
		if err = n.readStruct(w.broken); err != nil {
			err = fmt.Errorf("%s: %w", t, err)
		}
		err = errors.Join(append(w.errs, err)...)
	default:
		return fmt.Errorf("the type %s has no attribute type", t)
	}
	return err
}

func objectType(fields []*field) cty.Type {
	attrs := make(map[string]cty.Type, len(fields))
	for _, f := range fields {
		attrs[f.name] = f.node.ctyType
	}
	return cty.Object(attrs)
}

// innermost returns the node inside pointers and Values.
func (n *node) innermost() *node {
	for n.kind == kindPointer || n.kind == kindValue {
		n = n.elem
	}
	return n
}

// nesting returns the node of the nested objects that n holds and their nesting
// mode, or nil if n is neither an object nor a collection of objects.
func (n *node) nesting() (*node, configschema.NestingMode) {
	inner := n.innermost()
	if inner.kind == kindObject {
		return inner, configschema.NestingSingle
	}
	var mode configschema.NestingMode
	switch inner.kind { //nolint:exhaustive // the others have no elements
	case kindList:
		mode = configschema.NestingList
	case kindSet:
		mode = configschema.NestingSet
	case kindMap:
		mode = configschema.NestingMap
	default:
		return nil, configschema.NestingInvalid
	}
	if elem := inner.elem.innermost(); elem.kind == kindObject {
		return elem, mode
	}
	return nil, configschema.NestingInvalid
}

// hasObjects reports whether n holds objects at any depth.
func (n *node) hasObjects() bool {
	inner := n.innermost()
	return inner.kind == kindObject || inner.elem != nil && inner.elem.hasObjects()
}

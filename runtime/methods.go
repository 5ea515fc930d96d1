package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
	stringType  = reflect.TypeFor[string]()
)

// methodType is the parameters and results of a method, without the receiver. It is
// compared directly: making a reflect.Type for each of the many optional methods, most of
// which a type does not have, would dominate the cost of a registration. For the same
// reason signatures are declared once for all types, with placeholders for the types that
// differ.
type methodType struct{ in, out []reflect.Type }

func signature(in []reflect.Type, out ...reflect.Type) methodType {
	return methodType{in, out}
}

// Placeholders in a signature.
var (
	inputPlace       = reflect.TypeFor[struct{ in struct{} }]()
	outputPlace      = reflect.TypeFor[struct{ out struct{} }]()
	configPlace      = reflect.TypeFor[struct{ config struct{} }]()
	identityPlace    = reflect.TypeFor[struct{ identity struct{} }]()
	planRequestPlace = reflect.TypeFor[struct{ planRequest struct{} }]()
)

// typeArgs has the type for each placeholder.
type typeArgs struct{ in, out, config, identity, planRequest reflect.Type }

func (p *typeArgs) of(t reflect.Type) reflect.Type {
	switch t {
	case inputPlace:
		return p.in
	case outputPlace:
		return p.out
	case configPlace:
		return p.config
	case identityPlace:
		return p.identity
	case planRequestPlace:
		return p.planRequest
	}
	return t
}

// filled returns the type without placeholders.
func (t methodType) filled(p *typeArgs) methodType {
	fill := func(types []reflect.Type) []reflect.Type {
		types = slices.Clone(types)
		for i := range types {
			types[i] = p.of(types[i])
		}
		return types
	}
	return methodType{in: fill(t.in), out: fill(t.out)}
}

// is reports whether a method of a type that is not an interface has this type.
func (t methodType) is(method reflect.Type, p *typeArgs) bool {
	if method.IsVariadic() || method.NumIn() != len(t.in)+1 || method.NumOut() != len(t.out) {
		return false
	}
	for i, in := range t.in {
		if method.In(i+1) != p.of(in) {
			return false
		}
	}
	for i, out := range t.out {
		if method.Out(i) != p.of(out) {
			return false
		}
	}
	return true
}

func (t methodType) String() string { return reflect.FuncOf(t.in, t.out, false).String() }

// optionalMethod is the name and the signature of an optional method.
type optionalMethod struct {
	name string
	want methodType
}

var boolType, migrationsType = reflect.TypeFor[bool](), reflect.TypeFor[[]Migration]()

// structMethods are the optional methods of any struct of inputs, also a nested one.
var structMethods = []optionalMethod{
	{"Defaults", signature(nil)},
	{"Constraints", signature(nil, reflect.TypeFor[[]Constraint]())},
	{"Descriptions", signature(nil, reflect.TypeFor[map[string]string]())},
}

// inputMethods are the optional methods of the inputs of every family.
var inputMethods = slices.Concat(structMethods, []optionalMethod{
	{"ValidateInputs", signature([]reflect.Type{contextType, configPlace}, errorType)},
	{"OperationTimeouts", signature(nil, reflect.TypeFor[OperationTimeouts]())},
})

// managedMethods are the optional methods of a managed resource. The identity type in them
// is that of the Identity method.
var managedMethods = slices.Concat(inputMethods, []optionalMethod{
	{"EquivalentInput", signature([]reflect.Type{contextType, stringType, inputPlace, inputPlace}, boolType)},
	{"ReplaceOn", signature([]reflect.Type{stringType, inputPlace, inputPlace}, boolType)},
	{"ModifyResourcePlan", signature([]reflect.Type{planRequestPlace, reflect.TypeFor[*ResourcePlanResponse]()}, errorType)},
	{"PlanOutputs", signature([]reflect.Type{contextType, configPlace, reflect.TypeFor[*OutputPlan]()}, errorType)},
	{"Identity", signature([]reflect.Type{configPlace, outputPlace}, identityPlace)},
	{"MutableIdentity", signature(nil, boolType)},
	{"IdentityVersion", signature(nil, reflect.TypeFor[int]())},
	{"IdentityMigrations", signature(nil, migrationsType)},
	{"ParseImportID", signature([]reflect.Type{stringType}, identityPlace, errorType)},
	{"Import", signature([]reflect.Type{contextType, configPlace, identityPlace}, outputPlace, errorType)},
	{"ImportByID", signature([]reflect.Type{contextType, configPlace, stringType}, outputPlace, errorType)},
	{"Migrations", signature(nil, migrationsType)},
	{"Moves", signature(nil, reflect.TypeFor[[]Move]())},
	{"Locks", signature([]reflect.Type{configPlace}, reflect.TypeFor[[]string]())},
})

// noIdentity is the identity type in signatures of types without one.
type noIdentity struct{}

// checkMethods returns an error for a method that has the name of an optional one
// and another signature, because it would never be called. It returns the names of
// the optional methods that the type has.
func checkMethods(pointer reflect.Type, known []optionalMethod, p *typeArgs) (found []string, err error) {
	var errs []error
	embedded := embeddedStructs(pointer.Elem())
	for i := range known {
		opt := &known[i]
		m, ok := pointer.MethodByName(opt.name)
		if !ok {
			if err := ambiguousMethod(pointer.Elem(), embedded, opt.name); err != nil {
				errs = append(errs, err)
			}
			continue
		}
		found = append(found, opt.name)
		if !opt.want.is(m.Type, p) {
			errs = append(errs, fmt.Errorf("method %s has the wrong signature and would never be called: it is %s and must be %s",
				opt.name, withoutReceiver(m.Type), opt.want.filled(p)))
		}
	}
	return found, errors.Join(errs...)
}

// ambiguousMethod returns an error if an embedded struct has a method that the
// struct itself does not have: another embedded one has it too, so that Go promotes
// neither.
func ambiguousMethod(t reflect.Type, embedded []reflect.Type, method string) error {
	if method == "Descriptions" { // each embedded struct is called
		return nil
	}
	for _, e := range embedded {
		if _, ok := reflect.PointerTo(e).MethodByName(method); ok {
			return fmt.Errorf("method %s of the embedded %s would never be called, because another embedded struct has one too; add a method to %s that calls both",
				method, e, t)
		}
	}
	return nil
}

func embeddedStructs(t reflect.Type) []reflect.Type {
	if t.Kind() != reflect.Struct {
		return nil
	}
	var embedded []reflect.Type
	for i := range t.NumField() { //nolint:modernize // the iterator costs as much as all the rest of it
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			embedded = append(embedded, f.Type)
		}
	}
	return embedded
}

// checkManagedMethods is checkMethods for a managed resource. It also checks which
// optional methods need each other.
func checkManagedMethods(o *ops) error {
	pointer := reflect.PointerTo(o.inType)
	p := typeArgs{
		in: o.inType, out: reflect.PointerTo(o.outType), config: o.methodConfig, planRequest: o.planRequest,
		identity: reflect.TypeFor[noIdentity](),
	}
	if m, ok := pointer.MethodByName("Identity"); ok {
		if m.Type.NumOut() != 1 || m.Type.Out(0).Kind() != reflect.Struct {
			return fmt.Errorf("method Identity must return a struct, the identity; it is %s", withoutReceiver(m.Type))
		}
		p.identity = m.Type.Out(0)
	}
	found, err := checkMethods(pointer, managedMethods, &p)
	if len(found) == 0 {
		return err
	}
	errs := []error{err}
	has := func(name string) bool { return slices.Contains(found, name) }
	for _, name := range identityMethods {
		if has(name) && !has("Identity") {
			errs = append(errs, fmt.Errorf("method %s needs the method Identity, which is missing", name))
		}
	}
	if has("ImportByID") && has("Identity") {
		errs = append(errs, errors.New("method ImportByID is for resources without identity; use ParseImportID and Import with Identity"))
	}
	return errors.Join(errs...)
}

// identityMethods have no effect without an identity.
var identityMethods = []string{"ParseImportID", "Import", "MutableIdentity", "IdentityVersion", "IdentityMigrations"}

func withoutReceiver(method reflect.Type) reflect.Type {
	in := make([]reflect.Type, 0, method.NumIn())
	for i := 1; i < method.NumIn(); i++ {
		in = append(in, method.In(i))
	}
	out := make([]reflect.Type, 0, method.NumOut())
	for out0 := range method.Outs() {
		out = append(out, out0)
	}
	return reflect.FuncOf(in, out, method.IsVariadic())
}

package runtime

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

var (
	contextType = reflect.TypeFor[context.Context]()
	errorType   = reflect.TypeFor[error]()
	stringType  = reflect.TypeFor[string]()
)

// methodType is what a method takes and returns, the receiver left out. It is
// compared as it is: to make a reflect.Type of it for each of the many methods
// that a type may have, and mostly has not, would be most of a registration.
type methodType struct{ in, out []reflect.Type }

func signature(in []reflect.Type, out ...reflect.Type) methodType {
	return methodType{in, out}
}

// is reports whether a method, of a type that is no interface, has this type.
func (t methodType) is(method reflect.Type) bool {
	if method.IsVariadic() || method.NumIn() != len(t.in)+1 || method.NumOut() != len(t.out) {
		return false
	}
	for i, in := range t.in {
		if method.In(i+1) != in {
			return false
		}
	}
	for i, out := range t.out {
		if method.Out(i) != out {
			return false
		}
	}
	return true
}

func (t methodType) String() string { return reflect.FuncOf(t.in, t.out, false).String() }

// optionalMethod is the name and the signature of a method that a type may have.
type optionalMethod struct {
	name string
	want methodType
}

// inputMethods are those that the inputs of every family may have.
func inputMethods(configType reflect.Type) []optionalMethod {
	return append(structMethods(),
		optionalMethod{"ValidateInputs", signature([]reflect.Type{contextType, configType}, errorType)},
		optionalMethod{"OperationTimeouts", signature(nil, reflect.TypeFor[OperationTimeouts]())})
}

// structMethods are those that any struct of inputs may have, also a nested one.
func structMethods() []optionalMethod {
	return []optionalMethod{
		{"Defaults", signature(nil)},
		{"Constraints", signature(nil, reflect.TypeFor[[]Constraint]())},
		{"Descriptions", signature(nil, reflect.TypeFor[map[string]string]())},
	}
}

// managedMethods are those of a managed resource. Those that speak of the
// identity take its type from the Identity method.
func managedMethods(o *ops) []optionalMethod {
	out := reflect.PointerTo(o.outType)
	id := identityType(reflect.PointerTo(o.inType))
	return append(inputMethods(o.configType), []optionalMethod{
		{"EquivalentInput", signature([]reflect.Type{stringType, o.inType, o.inType}, reflect.TypeFor[bool]())},
		{"ModifyResourcePlan", signature([]reflect.Type{o.planRequest, reflect.TypeFor[*ResourcePlanResponse]()}, errorType)},
		{"PlanOutputs", signature([]reflect.Type{contextType, o.configType, reflect.TypeFor[*OutputPlan]()}, errorType)},
		{"Identity", signature([]reflect.Type{o.configType, out}, id)},
		{"MutableIdentity", signature(nil, reflect.TypeFor[bool]())},
		{"IdentityVersion", signature(nil, reflect.TypeFor[int]())},
		{"IdentityMigrations", signature(nil, reflect.TypeFor[[]Migration]())},
		{"ParseImportID", signature([]reflect.Type{stringType}, id, errorType)},
		{"Import", signature([]reflect.Type{contextType, o.configType, id}, out, errorType)},
		{"ImportByID", signature([]reflect.Type{contextType, o.configType, stringType}, out, errorType)},
		{"Migrations", signature(nil, reflect.TypeFor[[]Migration]())},
		{"Moves", signature(nil, reflect.TypeFor[[]Move]())},
		{"Locks", signature([]reflect.Type{o.configType}, reflect.TypeFor[[]string]())},
	}...)
}

// noIdentity stands for the identity type in signatures of types without one.
type noIdentity struct{}

func identityType(pointer reflect.Type) reflect.Type {
	if m, ok := pointer.MethodByName("Identity"); ok && m.Type.NumOut() == 1 && m.Type.Out(0).Kind() == reflect.Struct {
		return m.Type.Out(0)
	}
	return reflect.TypeFor[noIdentity]()
}

// checkMethods finds near misses: methods that have the name of an optional one
// and another signature would otherwise never be called.
func checkMethods(pointer reflect.Type, known []optionalMethod) error {
	var errs []error
	embedded := embeddedStructs(pointer.Elem())
	for _, opt := range known {
		m, ok := pointer.MethodByName(opt.name)
		if !ok {
			errs = append(errs, hidden(pointer.Elem(), embedded, opt.name))
			continue
		}
		if !opt.want.is(m.Type) {
			errs = append(errs, fmt.Errorf("method %s has the wrong signature and would never be called: it is %s and must be %s",
				opt.name, withoutReceiver(m.Type), opt.want))
		}
	}
	return errors.Join(errs...)
}

// hidden is an error when an embedded struct has a method that the struct itself
// has not: another embedded one has it too, so Go promotes neither.
func hidden(t reflect.Type, embedded []reflect.Type, method string) error {
	if method == "Descriptions" { // of which each is asked
		return nil
	}
	for _, e := range embedded {
		if _, ok := reflect.PointerTo(e).MethodByName(method); ok {
			return fmt.Errorf("method %s of the embedded %s would never be called, as another embedded struct has one too; give %s its own, which calls both",
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
	for f := range t.Fields() {
		if f.Anonymous && f.Type.Kind() == reflect.Struct {
			embedded = append(embedded, f.Type)
		}
	}
	return embedded
}

// checkManagedMethods is checkMethods for a managed resource, with what its
// optional methods need of each other.
func checkManagedMethods(o *ops) error {
	pointer := reflect.PointerTo(o.inType)
	has := func(name string) bool {
		_, ok := pointer.MethodByName(name)
		return ok
	}
	if id, ok := pointer.MethodByName("Identity"); ok && identityType(pointer) == reflect.TypeFor[noIdentity]() {
		return fmt.Errorf("method Identity must return a struct, the identity; it is %s", withoutReceiver(id.Type))
	}
	errs := []error{checkMethods(pointer, managedMethods(o))}
	for _, name := range []string{"ParseImportID", "Import", "MutableIdentity", "IdentityVersion", "IdentityMigrations"} {
		if has(name) && !has("Identity") {
			errs = append(errs, fmt.Errorf("method %s needs the method Identity, which is missing", name))
		}
	}
	if has("ImportByID") && has("Identity") {
		errs = append(errs, errors.New("method ImportByID is for resources without identity; use ParseImportID and Import beside Identity"))
	}
	return errors.Join(errs...)
}

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

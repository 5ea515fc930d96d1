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

func signature(in []reflect.Type, out ...reflect.Type) reflect.Type {
	return reflect.FuncOf(in, out, false)
}

// optionalMethods gives the signature of every optional method for the types of
// o. Those that speak of the identity take its type from the Identity method.
func optionalMethods(o *ops) []struct {
	name string
	want reflect.Type
} {
	pointer := reflect.PointerTo(o.inType)
	out := reflect.PointerTo(o.outType)
	id := identityType(pointer)
	none := []reflect.Type{}
	return []struct {
		name string
		want reflect.Type
	}{
		{"Defaults", signature(none)},
		{"Constraints", signature(none, reflect.TypeFor[[]Constraint]())},
		{"ValidateInputs", signature([]reflect.Type{contextType, o.configType}, errorType)},
		{"EquivalentInput", signature([]reflect.Type{stringType, o.inType, o.inType}, reflect.TypeFor[bool]())},
		{"ModifyResourcePlan", signature([]reflect.Type{o.planRequest, reflect.TypeFor[*ResourcePlanResponse]()}, errorType)},
		{"Identity", signature([]reflect.Type{o.configType, out}, id)},
		{"MutableIdentity", signature(none, reflect.TypeFor[bool]())},
		{"IdentityVersion", signature(none, reflect.TypeFor[int]())},
		{"IdentityMigrations", signature(none, reflect.TypeFor[[]Migration]())},
		{"ParseImportID", signature([]reflect.Type{stringType}, id, errorType)},
		{"Import", signature([]reflect.Type{contextType, o.configType, id}, out, errorType)},
		{"ImportByID", signature([]reflect.Type{contextType, o.configType, stringType}, out, errorType)},
		{"Migrations", signature(none, reflect.TypeFor[[]Migration]())},
		{"Moves", signature(none, reflect.TypeFor[[]Move]())},
		{"Descriptions", signature(none, reflect.TypeFor[map[string]string]())},
	}
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
func checkMethods(o *ops) error {
	pointer := reflect.PointerTo(o.inType)
	var errs []error
	has := map[string]bool{}
	for _, opt := range optionalMethods(o) {
		m, ok := pointer.MethodByName(opt.name)
		if !ok {
			continue
		}
		has[opt.name] = true
		got := withoutReceiver(m.Type)
		switch {
		case opt.name == "Identity" && identityType(pointer) == reflect.TypeFor[noIdentity]():
			errs = append(errs, fmt.Errorf("method Identity must return a struct, the identity; it is %s", got))
		case got != opt.want:
			errs = append(errs, fmt.Errorf("method %s has the wrong signature and would never be called: it is %s and must be %s", opt.name, got, opt.want))
		}
	}
	for _, name := range []string{"ParseImportID", "Import", "MutableIdentity", "IdentityVersion", "IdentityMigrations"} {
		if has[name] && !has["Identity"] {
			errs = append(errs, fmt.Errorf("method %s needs the method Identity, which is missing", name))
		}
	}
	if has["ImportByID"] && has["Identity"] {
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

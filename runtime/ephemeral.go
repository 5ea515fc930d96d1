package runtime

import "reflect"

// EphemeralRegistration is an ephemeral resource type ready to be part of a [Definition]. The
// zero value is not usable.
type EphemeralRegistration struct{ registration[ephemeral] }

type ephemeral struct {
	*form
	typeName   string // set by New
	configType reflect.Type
}

func (e *ephemeral) named(typeName string) reflect.Type {
	e.typeName = typeName
	return e.configType
}

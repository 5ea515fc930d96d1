package runtime

import "reflect"

// ActionRegistration is an action type ready to be part of a [Definition]. The
// zero value is not usable.
type ActionRegistration struct{ registration[action] }

type action struct {
	*form
	typeName   string // set by New
	configType reflect.Type
}

func (a *action) named(typeName string) reflect.Type {
	a.typeName = typeName
	return a.configType
}

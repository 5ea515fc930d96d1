package runtime

import "reflect"

// StateStoreRegistration is a state store type ready to be part of a [Definition]. The
// zero value is not usable.
type StateStoreRegistration struct{ registration[stateStore] }

type stateStore struct {
	*form
	typeName   string // set by New
	configType reflect.Type
}

func (t *stateStore) named(typeName string) reflect.Type {
	t.typeName = typeName
	return t.configType
}

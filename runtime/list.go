package runtime

import "reflect"

// ListRegistration is a list resource type ready to be part of a [Definition]. The
// zero value is not usable.
type ListRegistration struct{ registration[lister] }

type lister struct {
	*form
	typeName   string // set by New
	configType reflect.Type
}

func (l *lister) named(typeName string) reflect.Type {
	l.typeName = typeName
	return l.configType
}

// attach gives the list resource the managed resource type whose objects it
// finds.
func (l *lister) attach(m *managed) error { return nil }

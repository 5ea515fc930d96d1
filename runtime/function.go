package runtime

import (
	"reflect"

	"github.com/posixform/terraform-provider-posix/provider"
)

// FunctionRegistration is a function ready to be part of a [Definition]. The
// zero value is not usable.
type FunctionRegistration struct{ registration[function] }

type function struct {
	name string // set by New
	decl provider.FunctionDecl
}

func (f *function) named(name string) reflect.Type {
	f.name = name
	return noConfigType
}

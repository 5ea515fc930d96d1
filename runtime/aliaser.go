package runtime

import (
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// Aliaser is implemented by a Config that knows several names of one thing, such as the former
// names of a host. A plan from one name to another is no change: the prior name stays until
// Read returns another one, and the identity of the object may change in the same way.
type Aliaser interface {
	// SameName reports whether two different values of the input attribute name the same
	// thing.
	SameName(attribute, prior, current string) bool
}

// checkAliaser returns an error for a method SameName of the type of a Config that would never be
// called.
func checkAliaser(config reflect.Type) error {
	if _, ok := config.MethodByName("SameName"); !ok {
		if _, ok := reflect.PointerTo(config).MethodByName("SameName"); ok {
			return fmt.Errorf("the method SameName has the receiver *%[1]s and would never be called for the Config %[1]s: "+
				"make *%[1]s the Config (runtime.Aliaser)", config)
		}
		return nil
	}
	if config.Implements(reflect.TypeFor[Aliaser]()) {
		return nil
	}
	return fmt.Errorf("the method SameName of the Config %s has the wrong signature and would never be called: it must be "+
		"func(string, string, string) bool (runtime.Aliaser)", config)
}

// sameName reports whether two values of an attribute name the same thing, according to the
// Config.
func sameName(cfg any, attribute string, was, is cty.Value) bool {
	aliases, ok := cfg.(Aliaser)
	return ok && usable(was) && usable(is) && was.Type() == cty.String && is.Type() == cty.String &&
		aliases.SameName(attribute, was.AsString(), is.AsString())
}

// SameIdentity reports whether two identities of a type differ only in names of the same things;
// package guard calls it.
func (s *server) SameIdentity(typeName string, prior, current cty.Value) bool {
	m := s.resources[typeName]
	if m == nil || m.identity == nil {
		return false
	}
	cfg, err := s.configFor(m.configType)
	if err != nil {
		return false
	}
	for _, f := range m.identity.fields {
		was, is := prior.GetAttr(f.name), current.GetAttr(f.name)
		if !was.IsNull() && !objchange.Equal(was, is) && !sameName(cfg, f.name, was, is) {
			return false
		}
	}
	return true
}

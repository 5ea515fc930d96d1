package states

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Resource is the state of a resource block in one instance of its module.
type Resource struct {
	Addr addrs.AbsResource
	// Instances may have keys of several kinds if count or for_each was added or
	// removed since the last run.
	Instances map[addrs.InstanceKey]*ResourceInstance
	// ProviderConfig is the provider configuration that last managed the resource. It
	// is used to delete objects that are no longer in the configuration.
	ProviderConfig addrs.AbsProviderConfig
	// Extra has unknown fields of the resource in the file.
	Extra map[string]json.RawMessage
}

// Instance returns the instance with the key, or nil.
func (r *Resource) Instance(key addrs.InstanceKey) *ResourceInstance {
	if r == nil {
		return nil
	}
	return r.Instances[key]
}

// CreateInstance adds and returns an instance without objects. It replaces an existing
// instance with the key.
func (r *Resource) CreateInstance(key addrs.InstanceKey) *ResourceInstance {
	is := NewResourceInstance()
	r.Instances[key] = is
	return is
}

// EnsureInstance returns the instance with the key and adds it if necessary.
func (r *Resource) EnsureInstance(key addrs.InstanceKey) *ResourceInstance {
	if is := r.Instance(key); is != nil {
		return is
	}
	return r.CreateInstance(key)
}

// ResourceInstance holds the objects of one resource instance.
type ResourceInstance struct {
	// Current is the current object. It is nil if the object was deposed and its
	// successor was not created.
	Current *ResourceInstanceObjectSrc
	// Deposed are replaced objects that are not deleted yet.
	Deposed map[DeposedKey]*ResourceInstanceObjectSrc
	// ProviderKey is the key of the provider instance, for provider configurations with
	// for_each in OpenTofu.
	ProviderKey addrs.InstanceKey
}

// NewResourceInstance returns an instance without objects.
func NewResourceInstance() *ResourceInstance {
	return &ResourceInstance{Deposed: map[DeposedKey]*ResourceInstanceObjectSrc{}}
}

// HasCurrent reports whether there is a current object.
func (i *ResourceInstance) HasCurrent() bool { return i != nil && i.Current != nil }

// HasDeposed reports whether there is a deposed object with the key.
func (i *ResourceInstance) HasDeposed(key DeposedKey) bool {
	return i != nil && i.Deposed[key] != nil
}

// HasAnyDeposed reports whether there is any deposed object.
func (i *ResourceInstance) HasAnyDeposed() bool { return i != nil && len(i.Deposed) > 0 }

// HasObjects reports whether there is any object.
func (i *ResourceInstance) HasObjects() bool { return i.HasCurrent() || i.HasAnyDeposed() }

// GetGeneration returns the object of the generation, or nil. It panics if gen is nil or
// NotDeposed.
func (i *ResourceInstance) GetGeneration(gen Generation) *ResourceInstanceObjectSrc {
	key, deposed := gen.(DeposedKey)
	switch {
	case gen != CurrentGen && (!deposed || key == NotDeposed):
		panic("states: the generation is nil or NotDeposed")
	case i == nil:
		return nil
	case deposed:
		return i.Deposed[key]
	default:
		return i.Current
	}
}

// FindUnusedDeposedKey returns a random key that no deposed object of the instance has.
func (i *ResourceInstance) FindUnusedDeposedKey() DeposedKey {
	for {
		if key := NewDeposedKey(); !i.HasDeposed(key) {
			return key
		}
	}
}

func (i *ResourceInstance) removePlanned() {
	if i.HasCurrent() && i.Current.Status == ObjectPlanned {
		i.Current = nil
	}
	maps.DeleteFunc(i.Deposed, func(_ DeposedKey, obj *ResourceInstanceObjectSrc) bool { return obj.Status == ObjectPlanned })
}

// DeposedKey identifies a deposed object of an instance by 8 hexadecimal digits.
type DeposedKey string

// NotDeposed means that there is no key: the object is current.
const NotDeposed = DeposedKey("")

// NewDeposedKey returns a random key, which may be in use; see
// [ResourceInstance.FindUnusedDeposedKey].
func NewDeposedKey() DeposedKey {
	return DeposedKey(fmt.Sprintf("%08x", rand.Uint32())) //nolint:gosec // a name, not a secret
}

// String returns the key.
func (k DeposedKey) String() string { return string(k) }

// GoString returns the Go expression of the key, for test output.
func (k DeposedKey) GoString() string {
	if k == NotDeposed {
		return "states.NotDeposed"
	}
	return fmt.Sprintf("states.DeposedKey(%q)", string(k))
}

// Generation returns k as a generation: CurrentGen for NotDeposed.
func (k DeposedKey) Generation() Generation {
	if k == NotDeposed {
		return CurrentGen
	}
	return k
}

func (DeposedKey) generation() {}

// Generation identifies an object of an instance: CurrentGen, or the DeposedKey of a
// deposed one. Generations are comparable; nil is invalid.
type Generation interface {
	generation()
}

// CurrentGen is the generation of the current object.
var CurrentGen Generation = currentGen{}

type currentGen struct{}

func (currentGen) generation() {}

// GoString returns the Go expression of the generation, for test output.
func (currentGen) GoString() string { return "states.CurrentGen" }

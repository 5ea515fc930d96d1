package states

import (
	"encoding/json"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Resource is what is remembered of a resource block in one instance of its
// module.
type Resource struct {
	Addr addrs.AbsResource
	// Instances may have keys of several kinds, where count or for_each came or
	// went since the last run.
	Instances map[addrs.InstanceKey]*ResourceInstance
	// ProviderConfig is the provider configuration that last managed the
	// resource. It is who deletes what configuration has no block for anymore.
	ProviderConfig addrs.AbsProviderConfig
	// Extra is what a file said about the resource that no field here is for.
	Extra map[string]json.RawMessage
}

// Instance is the instance of the key, nil if there is none.
func (r *Resource) Instance(key addrs.InstanceKey) *ResourceInstance {
	if r == nil {
		return nil
	}
	return r.Instances[key]
}

// CreateInstance adds an instance without objects, in place of another of the
// key.
func (r *Resource) CreateInstance(key addrs.InstanceKey) *ResourceInstance {
	is := NewResourceInstance()
	r.Instances[key] = is
	return is
}

// EnsureInstance is the instance of the key, which it adds if need be.
func (r *Resource) EnsureInstance(key addrs.InstanceKey) *ResourceInstance {
	if is := r.Instance(key); is != nil {
		return is
	}
	return r.CreateInstance(key)
}

// ResourceInstance is the objects of one resource instance.
type ResourceInstance struct {
	// Current is the object that the instance has now. It is nil where it was
	// deposed and its successor was not created.
	Current *ResourceInstanceObjectSrc
	// Deposed are objects that were replaced and are not deleted yet.
	Deposed map[DeposedKey]*ResourceInstanceObjectSrc
	// ProviderKey tells which instance of the provider configuration manages the
	// objects, where that has for_each as OpenTofu's may.
	ProviderKey addrs.InstanceKey
}

// NewResourceInstance is an instance without objects.
func NewResourceInstance() *ResourceInstance {
	return &ResourceInstance{Deposed: map[DeposedKey]*ResourceInstanceObjectSrc{}}
}

// HasCurrent reports whether there is a current object.
func (i *ResourceInstance) HasCurrent() bool { return i != nil && i.Current != nil }

// HasDeposed reports whether there is a deposed object of the key.
func (i *ResourceInstance) HasDeposed(key DeposedKey) bool {
	return i != nil && i.Deposed[key] != nil
}

// HasAnyDeposed reports whether there is any deposed object.
func (i *ResourceInstance) HasAnyDeposed() bool { return i != nil && len(i.Deposed) > 0 }

// HasObjects reports whether there is any object.
func (i *ResourceInstance) HasObjects() bool { return i.HasCurrent() || i.HasAnyDeposed() }

// GetGeneration is the object of the generation, nil if there is none. It panics
// for a generation that is nil.
func (i *ResourceInstance) GetGeneration(gen Generation) *ResourceInstanceObjectSrc {
	key, deposed := gen.(DeposedKey)
	switch {
	case gen != CurrentGen && (!deposed || key == NotDeposed):
		panic("states: an object is asked for by no generation at all")
	case i == nil:
		return nil
	case deposed:
		return i.Deposed[key]
	default:
		return i.Current
	}
}

// FindUnusedDeposedKey is a key that no deposed object of the instance has now.
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
	for key, obj := range i.Deposed {
		if obj.Status == ObjectPlanned {
			delete(i.Deposed, key)
		}
	}
}

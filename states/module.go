package states

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Module is what is remembered of one module instance.
type Module struct {
	Addr addrs.ModuleInstance
	// Resources are keyed by their relative address.
	Resources map[addrs.Resource]*Resource
	// OutputValues and LocalValues are keyed by name. Local values, and output
	// values of other modules than the root, are for the run alone: no file has
	// them.
	OutputValues map[string]*OutputValue
	LocalValues  map[string]cty.Value
}

// NewModule is a module instance without anything in it.
func NewModule(addr addrs.ModuleInstance) *Module {
	return &Module{
		Addr:         addr,
		Resources:    map[addrs.Resource]*Resource{},
		OutputValues: map[string]*OutputValue{},
		LocalValues:  map[string]cty.Value{},
	}
}

// Resource is the resource of the address, nil if there is none.
func (m *Module) Resource(addr addrs.Resource) *Resource {
	if m == nil {
		return nil
	}
	return m.Resources[addr]
}

// ResourceInstance is the instance of the address, nil if there is none.
func (m *Module) ResourceInstance(addr addrs.ResourceInstance) *ResourceInstance {
	return m.Resource(addr.Resource).Instance(addr.Key)
}

// SetResourceProvider records which provider configuration the resource belongs
// to, adding the resource if need be.
func (m *Module) SetResourceProvider(addr addrs.Resource, provider addrs.AbsProviderConfig) {
	r := m.Resource(addr)
	if r == nil {
		r = &Resource{Addr: addr.Absolute(m.Addr), Instances: map[addrs.InstanceKey]*ResourceInstance{}}
		m.Resources[addr] = r
	}
	r.ProviderConfig = provider
}

// SetResourceInstanceCurrent makes obj the current object of the instance, in
// place of another. Nil removes the current object; the instance goes with its
// last object, and the resource with its last instance. The provider is from
// then on that of all instances of the resource.
func (m *Module) SetResourceInstanceCurrent(addr addrs.ResourceInstance, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	if obj != nil {
		m.SetResourceProvider(addr.Resource, provider)
		m.Resource(addr.Resource).EnsureInstance(addr.Key).Current = obj
		return
	}
	if is := m.ResourceInstance(addr); is != nil {
		m.SetResourceProvider(addr.Resource, provider)
		is.Current = nil
		m.dropIfEmpty(addr)
	}
}

// SetResourceInstanceDeposed makes obj the deposed object of the instance that
// has the key, in place of another. Nil removes it; the instance goes with its
// last object, and the resource with its last instance. The resource is there
// already, or this panics; the key is known, as that of an object read from a
// file is: [SyncState.DeposeResourceInstanceObject] is for what becomes deposed.
func (m *Module) SetResourceInstanceDeposed(addr addrs.ResourceInstance, key DeposedKey, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	r := m.Resource(addr.Resource)
	if r == nil {
		panic("states: no resource " + addr.Resource.Absolute(m.Addr).String() + " that could have a deposed object")
	}
	r.ProviderConfig = provider
	if obj != nil {
		r.EnsureInstance(addr.Key).Deposed[key] = obj
		return
	}
	m.ForgetResourceInstanceDeposed(addr, key)
}

// ForgetResourceInstanceAll removes the instance with all its objects, and the
// resource if it was the last instance.
func (m *Module) ForgetResourceInstanceAll(addr addrs.ResourceInstance) {
	if is := m.ResourceInstance(addr); is != nil {
		is.Current = nil
		clear(is.Deposed)
		m.dropIfEmpty(addr)
	}
}

// ForgetResourceInstanceDeposed removes a deposed object; the instance goes with
// its last object, and the resource with its last instance.
func (m *Module) ForgetResourceInstanceDeposed(addr addrs.ResourceInstance, key DeposedKey) {
	if is := m.ResourceInstance(addr); is != nil {
		delete(is.Deposed, key)
		m.dropIfEmpty(addr)
	}
}

// dropIfEmpty removes an instance that has no objects, and the resource if that
// was its last instance.
func (m *Module) dropIfEmpty(addr addrs.ResourceInstance) {
	r := m.Resource(addr.Resource)
	if r.Instance(addr.Key).HasObjects() {
		return
	}
	delete(r.Instances, addr.Key)
	if len(r.Instances) == 0 {
		m.RemoveResource(addr.Resource)
	}
}

// depose makes the current object a deposed one under the
// key, or under a new one if it is NotDeposed, and says which. NotDeposed is
// the answer where there is no current object.
func (m *Module) depose(addr addrs.ResourceInstance, key DeposedKey) DeposedKey {
	is := m.ResourceInstance(addr)
	if !is.HasCurrent() {
		return NotDeposed
	}
	if key == NotDeposed {
		key = is.FindUnusedDeposedKey()
	} else if is.HasDeposed(key) {
		panic("states: " + addr.Absolute(m.Addr).String() + " has a deposed object " + key.String() + " already")
	}
	is.Deposed[key], is.Current = is.Current, nil
	return key
}

// restore makes the deposed object the current one, where
// there is no current one, and says whether it did.
func (m *Module) restore(addr addrs.ResourceInstance, key DeposedKey) bool {
	is := m.ResourceInstance(addr)
	if is == nil || is.HasCurrent() || !is.HasDeposed(key) {
		return false
	}
	is.Current = is.Deposed[key]
	delete(is.Deposed, key)
	return true
}

// RemoveResource removes a resource with all its instances.
func (m *Module) RemoveResource(addr addrs.Resource) { delete(m.Resources, addr) }

// PruneResourceHusks removes the resources that have no instance left; see the
// method of State.
func (m *Module) PruneResourceHusks() {
	for addr, r := range m.Resources {
		if len(r.Instances) == 0 {
			delete(m.Resources, addr)
		}
	}
}

// SetOutputValue records an output value, in place of another of the name.
func (m *Module) SetOutputValue(name string, value cty.Value, sensitive bool) *OutputValue {
	o := &OutputValue{Addr: addrs.OutputValue{Name: name}.Absolute(m.Addr), Value: value, Sensitive: sensitive}
	m.OutputValues[name] = o
	return o
}

// RemoveOutputValue removes an output value.
func (m *Module) RemoveOutputValue(name string) { delete(m.OutputValues, name) }

// SetLocalValue records a local value, in place of another of the name.
func (m *Module) SetLocalValue(name string, value cty.Value) { m.LocalValues[name] = value }

// RemoveLocalValue removes a local value.
func (m *Module) RemoveLocalValue(name string) { delete(m.LocalValues, name) }

func (m *Module) empty() bool {
	return len(m.Resources) == 0 && len(m.OutputValues) == 0 && len(m.LocalValues) == 0
}

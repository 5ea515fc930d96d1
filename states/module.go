package states

import (
	"encoding/json"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Module is the state of one module instance.
type Module struct {
	Addr addrs.ModuleInstance
	// Resources are keyed by the address relative to the module.
	Resources map[addrs.Resource]*Resource
	// OutputValues and LocalValues are keyed by name. Local values, and output values
	// of child modules, exist only during a run and are never stored.
	OutputValues map[string]*OutputValue
	LocalValues  map[string]cty.Value
}

// NewModule returns an empty module instance.
func NewModule(addr addrs.ModuleInstance) *Module {
	return &Module{
		Addr:         addr,
		Resources:    map[addrs.Resource]*Resource{},
		OutputValues: map[string]*OutputValue{},
		LocalValues:  map[string]cty.Value{},
	}
}

// Resource returns the resource with the address, or nil.
func (m *Module) Resource(addr addrs.Resource) *Resource {
	if m == nil {
		return nil
	}
	return m.Resources[addr]
}

// ResourceInstance returns the instance with the address, or nil.
func (m *Module) ResourceInstance(addr addrs.ResourceInstance) *ResourceInstance {
	return m.Resource(addr.Resource).Instance(addr.Key)
}

// SetResourceProvider sets the provider configuration of the resource and adds the
// resource if necessary.
func (m *Module) SetResourceProvider(addr addrs.Resource, provider addrs.AbsProviderConfig) {
	r := m.Resource(addr)
	if r == nil {
		r = &Resource{Addr: addr.Absolute(m.Addr), Instances: map[addrs.InstanceKey]*ResourceInstance{}}
		m.Resources[addr] = r
	}
	r.ProviderConfig = provider
}

// SetResourceInstanceCurrent sets the current object of the instance. Nil removes it;
// an instance is removed with its last object, and a resource with its last instance.
// The provider becomes that of all instances of the resource.
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

// SetResourceInstanceDeposed sets the deposed object with the key. Nil removes it; an
// instance is removed with its last object, and a resource with its last instance. It
// panics if the resource does not exist. It is for known keys, such as those in a file;
// [SyncState.DeposeResourceInstanceObject] deposes the current object under a new key.
func (m *Module) SetResourceInstanceDeposed(addr addrs.ResourceInstance, key DeposedKey, obj *ResourceInstanceObjectSrc, provider addrs.AbsProviderConfig) {
	r := m.Resource(addr.Resource)
	if r == nil {
		panic("states: the resource " + addr.Resource.Absolute(m.Addr).String() + " of a deposed object does not exist")
	}
	r.ProviderConfig = provider
	if obj != nil {
		r.EnsureInstance(addr.Key).Deposed[key] = obj
		return
	}
	m.ForgetResourceInstanceDeposed(addr, key)
}

// ForgetResourceInstanceAll removes the instance with all its objects, and the resource
// if it was the last instance.
func (m *Module) ForgetResourceInstanceAll(addr addrs.ResourceInstance) {
	if is := m.ResourceInstance(addr); is != nil {
		is.Current = nil
		clear(is.Deposed)
		m.dropIfEmpty(addr)
	}
}

// ForgetResourceInstanceDeposed removes a deposed object; an instance is removed with
// its last object, and a resource with its last instance.
func (m *Module) ForgetResourceInstanceDeposed(addr addrs.ResourceInstance, key DeposedKey) {
	if is := m.ResourceInstance(addr); is != nil {
		delete(is.Deposed, key)
		m.dropIfEmpty(addr)
	}
}

// dropIfEmpty removes an instance without objects, and the resource if it was the last
// instance.
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

// depose deposes the current object under the key, or under a new one for NotDeposed,
// and returns the key. It returns NotDeposed if there is no current object, and panics
// if the key is in use.
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

// restore makes the deposed object current if there is no current object, and reports
// whether it did.
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

// PruneResourceHusks removes the resources without instances; see [State.PruneResourceHusks].
func (m *Module) PruneResourceHusks() {
	maps.DeleteFunc(m.Resources, func(_ addrs.Resource, r *Resource) bool { return len(r.Instances) == 0 })
}

// SetOutputValue sets and returns an output value.
func (m *Module) SetOutputValue(name string, value cty.Value, sensitive bool) *OutputValue {
	o := &OutputValue{Addr: addrs.OutputValue{Name: name}.Absolute(m.Addr), Value: value, Sensitive: sensitive}
	m.OutputValues[name] = o
	return o
}

// RemoveOutputValue removes an output value.
func (m *Module) RemoveOutputValue(name string) { delete(m.OutputValues, name) }

// SetLocalValue sets a local value.
func (m *Module) SetLocalValue(name string, value cty.Value) { m.LocalValues[name] = value }

// RemoveLocalValue removes a local value.
func (m *Module) RemoveLocalValue(name string) { delete(m.LocalValues, name) }

func (m *Module) empty() bool {
	return len(m.Resources) == 0 && len(m.OutputValues) == 0 && len(m.LocalValues) == 0
}

// OutputValue is the value of an output of a module instance. It is immutable.
type OutputValue struct {
	Addr addrs.AbsOutputValue
	// Value has no marks.
	Value     cty.Value
	Sensitive bool
	// Extra has unknown fields of the output in the file.
	Extra map[string]json.RawMessage
}

// DeepCopy returns a copy. The value is shared, because it is immutable.
func (o *OutputValue) DeepCopy() *OutputValue {
	if o == nil {
		return nil
	}
	out := *o
	out.Extra = copyExtra(o.Extra)
	return &out
}

func copyExtra(in map[string]json.RawMessage) map[string]json.RawMessage {
	if in == nil {
		return nil
	}
	out := make(map[string]json.RawMessage, len(in))
	for name, raw := range in {
		out[name] = append(json.RawMessage(nil), raw...)
	}
	return out
}

package statefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/states"
)

// Write writes a state file of version 4. It omits data that exists only during a run:
// local values, outputs of child modules, ephemeral resources. A planned object is an error.
func Write(f *File, w io.Writer) error {
	src, err := marshal(f)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, src, "", "  "); err != nil {
		return fmt.Errorf("state file: an unknown field of the previous file is not JSON: %w", err)
	}
	out.WriteByte('\n')
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	return nil
}

// StatesMarshalEqual reports whether the files of both states would be equal. States
// that cannot be written are never equal.
func StatesMarshalEqual(a, b *states.State) bool {
	textA, errA := marshal(New(a, "", 0))
	textB, errB := marshal(New(b, "", 0))
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

func marshal(f *File) ([]byte, error) {
	o := begin()
	o.add("version", json.RawMessage(version))
	o.add("terraform_version", f.TerraformVersion)
	o.add("serial", f.Serial)
	o.add("lineage", f.Lineage)
	s := cmp.Or(f.State, states.NewState())
	outputs, err := marshalOutputs(s.RootModule())
	if err != nil {
		return nil, err
	}
	o.add("outputs", outputs)
	resources, err := marshalResources(s)
	if err != nil {
		return nil, err
	}
	o.add("resources", resources)
	o.add("check_results", f.CheckResults)
	return o.end(f.Extra)
}

func marshalOutputs(root *states.Module) (json.RawMessage, error) {
	all := begin()
	for _, name := range slices.Sorted(maps.Keys(root.OutputValues)) {
		out := root.OutputValues[name]
		path := "outputs." + name
		ty := out.Value.Type()
		value, err := wire.NewCodec(ty).AppendJSON(nil, out.Value)
		if err != nil {
			return nil, fail(path, "cannot write the value: %s", problem(err))
		}
		tyJSON, err := ctyjson.MarshalType(ty)
		if err != nil {
			return nil, fail(path, "cannot write the type: %s", err)
		}
		o := begin()
		o.add("value", json.RawMessage(value))
		o.add("type", json.RawMessage(tyJSON))
		o.addIf(out.Sensitive, "sensitive", true)
		raw, err := o.end(out.Extra)
		if err != nil {
			return nil, err
		}
		all.add(name, raw)
	}
	return all.end(nil)
}

// marshalResources encodes the resources sorted by module, mode, type and name.
func marshalResources(s *states.State) (json.RawMessage, error) {
	type entry struct {
		module string
		*states.Resource
	}
	var all []entry
	for text, m := range s.Modules {
		for _, r := range m.Resources {
			if r.Addr.Resource.Mode != addrs.EphemeralResourceMode {
				all = append(all, entry{text, r})
			}
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		if c := strings.Compare(a.module, b.module); c != 0 {
			return c
		}
		return a.Addr.Resource.Compare(b.Addr.Resource)
	})
	out := make([]json.RawMessage, len(all))
	for i, e := range all {
		raw, err := marshalResource(e.module, e.Resource)
		if err != nil {
			return nil, err
		}
		out[i] = raw
	}
	return json.Marshal(out)
}

func marshalResource(module string, r *states.Resource) (json.RawMessage, error) {
	modes := map[addrs.ResourceMode]string{addrs.ManagedResourceMode: "managed", addrs.DataResourceMode: "data"}
	mode, ok := modes[r.Addr.Resource.Mode]
	if !ok {
		return nil, fail("", "%s has a mode that cannot be written", r.Addr)
	}
	keyed := false
	for _, is := range r.Instances {
		keyed = keyed || is.ProviderKey != addrs.NoKey
	}
	instances, err := marshalInstances(r, keyed)
	if err != nil {
		return nil, err
	}
	o := begin()
	o.addIf(module != "", "module", module)
	o.add("mode", mode)
	o.add("type", r.Addr.Resource.Type)
	o.add("name", r.Addr.Resource.Name)
	o.addIf(!keyed, "provider", r.ProviderConfig.String())
	o.add("instances", instances)
	return o.end(r.Extra)
}

func marshalInstances(r *states.Resource, keyed bool) (json.RawMessage, error) {
	out := []json.RawMessage{}
	add := func(key addrs.InstanceKey, deposed states.DeposedKey, obj *states.ResourceInstanceObjectSrc) error {
		provider := ""
		if keyed {
			provider = r.ProviderConfig.String() + addrs.KeyString(r.Instances[key].ProviderKey)
		}
		raw, err := marshalObject(r.Addr.Instance(key), deposed, provider, obj)
		out = append(out, raw)
		return err
	}
	for _, key := range slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys) {
		is := r.Instances[key]
		if is.HasCurrent() {
			if err := add(key, states.NotDeposed, is.Current); err != nil {
				return nil, err
			}
		}
		for _, deposed := range slices.Sorted(maps.Keys(is.Deposed)) {
			if err := add(key, deposed, is.Deposed[deposed]); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(out)
}

func marshalObject(addr addrs.AbsResourceInstance, deposed states.DeposedKey, provider string, obj *states.ResourceInstanceObjectSrc) (json.RawMessage, error) {
	status := ""
	switch obj.Status {
	case states.ObjectReady:
	case states.ObjectTainted:
		status = "tainted"
	default:
		return nil, fail("", "%s is %s and cannot be written", addr, obj.Status)
	}
	paths, err := writePaths(obj.AttrSensitivePaths)
	if err != nil {
		return nil, err
	}
	dependencies := make([]string, len(obj.Dependencies))
	for i, d := range obj.Dependencies {
		dependencies[i] = d.String()
	}
	o := begin()
	switch key := addr.Resource.Key.(type) {
	case addrs.IntKey:
		o.add("index_key", int(key))
	case addrs.StringKey:
		o.add("index_key", string(key))
	}
	o.addIf(status != "", "status", status)
	o.addIf(deposed != states.NotDeposed, "deposed", string(deposed))
	o.addIf(provider != "", "provider", provider)
	o.add("schema_version", obj.SchemaVersion)
	o.addIf(obj.AttrsFlat == nil, "attributes", json.RawMessage(obj.AttrsJSON))
	o.addIf(obj.AttrsFlat != nil, "attributes_flat", obj.AttrsFlat)
	o.add("sensitive_attributes", paths)
	o.addIf(len(obj.Private) > 0, "private", obj.Private)
	o.addIf(len(dependencies) > 0, "dependencies", dependencies)
	o.addIf(obj.CreateBeforeDestroy, "create_before_destroy", true)
	o.addIf(obj.SkipDestroy, "skip_destroy", true)
	o.addIf(obj.IdentityJSON != nil, "identity", json.RawMessage(obj.IdentityJSON))
	o.addIf(obj.IdentityJSON != nil || obj.IdentitySchemaVersion != 0, "identity_schema_version", obj.IdentitySchemaVersion)
	raw, err := o.end(obj.Extra)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", addr, err)
	}
	return raw, nil
}

// writer builds a JSON object with fields in order.
type writer struct {
	b   bytes.Buffer
	err error
}

func begin() *writer { return &writer{} }

func (w *writer) add(name string, value any) {
	key, err := json.Marshal(name)
	if err == nil {
		var raw []byte
		if raw, err = json.Marshal(value); err == nil {
			sep := byte(',')
			if w.b.Len() == 0 {
				sep = '{'
			}
			w.b.WriteByte(sep)
			w.b.Write(key)
			w.b.WriteByte(':')
			w.b.Write(raw)
		}
	}
	if err != nil && w.err == nil {
		w.err = fail("", "cannot write field %s: %s", name, err)
	}
}

func (w *writer) addIf(is bool, name string, value any) {
	if is {
		w.add(name, value)
	}
}

// end adds the unknown fields of the previous file, sorted by name, and returns the
// object.
func (w *writer) end(extra map[string]json.RawMessage) (json.RawMessage, error) {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		w.add(name, extra[name])
	}
	if w.b.Len() == 0 {
		w.b.WriteByte('{')
	}
	w.b.WriteByte('}')
	return w.b.Bytes(), w.err
}

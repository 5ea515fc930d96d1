package planjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

const stateFormat = "1.0"

// State converts a state; version is the reported version of the engine. A nil or empty
// state has no values. A resource type or a schema version that the schemas do not have
// is an error.
func State(s *states.State, schemas Schemas, version string) (*tfjson.State, error) {
	out := &tfjson.State{FormatVersion: stateFormat}
	if s.Empty() {
		return out, nil
	}
	out.TerraformVersion = version
	tree := newTree()
	for _, name := range slices.Sorted(maps.Keys(s.Modules)) {
		m := s.Modules[name]
		for _, r := range sortedResources(m) {
			if r.Addr.Resource.Mode == addrs.EphemeralResourceMode {
				continue
			}
			shown, err := stateResources(r, schemas)
			if err != nil {
				return nil, err
			}
			if len(shown) > 0 {
				into := tree.module(m.Addr)
				into.Resources = append(into.Resources, shown...)
			}
		}
	}
	out.Values = &tfjson.StateValues{RootModule: tree.root()}
	if root := s.Modules[""]; root != nil && len(root.OutputValues) > 0 {
		out.Values.Outputs = make(map[string]*tfjson.StateOutput, len(root.OutputValues))
		for name, o := range root.OutputValues {
			out.Values.Outputs[name] = stateOutput(o.Value, o.Sensitive)
		}
	}
	return out, nil
}

func stateOutput(v cty.Value, sensitive bool) *tfjson.StateOutput {
	v, _ = v.UnmarkDeep()
	shown, _ := plain(v)
	return &tfjson.StateOutput{Sensitive: sensitive, Value: shown, Type: v.Type()}
}

func sortedResources(m *states.Module) []*states.Resource {
	return slices.SortedFunc(maps.Values(m.Resources), func(a, b *states.Resource) int {
		return compareAddrs(a.Addr.Instance(addrs.NoKey), b.Addr.Instance(addrs.NoKey))
	})
}

// stateResources converts all objects of a resource: for each instance the current one
// and then the deposed ones.
func stateResources(r *states.Resource, schemas Schemas) ([]*tfjson.StateResource, error) {
	schema, ok := schemas.of(r.ProviderConfig.Provider, r.Addr.Resource)
	if !ok {
		return nil, fmt.Errorf("%s is in the state, but provider %s does not have its type", r.Addr, r.ProviderConfig.Provider)
	}
	var out []*tfjson.StateResource
	for _, key := range slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys) {
		instance := r.Instances[key]
		addr := r.Addr.Instance(key)
		objects := map[states.DeposedKey]*states.ResourceInstanceObjectSrc{}
		if instance.Current != nil {
			objects[states.NotDeposed] = instance.Current
		}
		maps.Copy(objects, instance.Deposed)
		for _, deposed := range slices.Sorted(maps.Keys(objects)) {
			shown, err := stateResource(addr, objects[deposed], schema)
			if err != nil {
				return nil, fmt.Errorf("cannot convert %s in the state: %w", addr, err)
			}
			shown.ProviderName = r.ProviderConfig.Provider.String()
			shown.DeposedKey = string(deposed)
			out = append(out, shown)
		}
	}
	return out, nil
}

func stateResource(addr addrs.AbsResourceInstance, src *states.ResourceInstanceObjectSrc, schema provider.Schema) (*tfjson.StateResource, error) {
	if int64(src.SchemaVersion) != schema.Version { //nolint:gosec // versions are small
		return nil, fmt.Errorf("its schema version is %d, and the provider's schema has version %d: refresh or apply first", src.SchemaVersion, schema.Version)
	}
	out := newStateResource(addr, schema)
	v, err := ctyjson.Unmarshal(src.AttrsJSON, schema.Body.ImpliedType())
	if err != nil {
		return nil, err
	}
	out.AttributeValues = object(v)
	marked := withMarks(schema, lang.MarkPaths(v, src.AttrSensitivePaths, lang.Sensitive))
	if out.SensitiveValues, err = sensitiveValues(marked); err != nil {
		return nil, err
	}
	for _, d := range src.Dependencies {
		out.DependsOn = append(out.DependsOn, d.String())
	}
	out.Tainted = src.Status == states.ObjectTainted
	if src.IdentityJSON != nil && schema.Identity != nil {
		if err := decode(src.IdentityJSON, &out.IdentityValues); err != nil {
			return nil, fmt.Errorf("its identity: %w", err)
		}
		if out.IdentityValues != nil {
			version := src.IdentitySchemaVersion
			out.IdentitySchemaVersion = &version
		}
	}
	return out, nil
}

// newStateResource returns an object without its values.
func newStateResource(addr addrs.AbsResourceInstance, schema provider.Schema) *tfjson.StateResource {
	r := addr.Resource.Resource
	return &tfjson.StateResource{
		Address: addr.String(), Mode: mode(r.Mode), Type: r.Type, Name: r.Name, Index: index(addr.Resource.Key),
		SchemaVersion: uint64(schema.Version), //nolint:gosec // a schema with a negative version is refused
	}
}

func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}

package planjson

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Schemas are the schemas of the providers of a plan or state.
type Schemas map[addrs.Provider]provider.GetProviderSchemaResponse

// of returns the schema of the resource type, or false if the provider does not have it.
func (s Schemas) of(from addrs.Provider, r addrs.Resource) (provider.Schema, bool) {
	types := s[from].ResourceTypes
	if r.Mode == addrs.DataResourceMode {
		types = s[from].DataSources
	}
	schema, ok := types[r.Type]
	return schema, ok && schema.Body != nil
}

// Marked returns both sides of a change, with marks on the values that are sensitive by the
// schema.
func (s Schemas) Marked(c *plans.ResourceInstanceChange) (before, after cty.Value) {
	schema, _ := s.of(c.Provider.Provider, c.Addr.Resource.Resource)
	return withMarks(schema, c.Before), withMarks(schema, c.After)
}

// withMarks returns v with marks on the values that are sensitive by the schema.
func withMarks(schema provider.Schema, v cty.Value) cty.Value {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return v
	}
	return lang.MarkPaths(v, schema.Body.SensitivePaths(v, nil), lang.Sensitive)
}

// mode returns the JSON form of a resource mode.
func mode(m addrs.ResourceMode) tfjson.ResourceMode {
	switch m {
	case addrs.DataResourceMode:
		return tfjson.DataResourceMode
	case addrs.EphemeralResourceMode: // only conditions have it, and terraform-json has no constant for it
		return "ephemeral"
	default:
		return tfjson.ManagedResourceMode
	}
}

// index returns the JSON form of an instance key.
func index(k addrs.InstanceKey) any {
	switch k := k.(type) {
	case addrs.IntKey:
		return json.Number(strconv.Itoa(int(k)))
	case addrs.StringKey:
		return string(k)
	default:
		return nil
	}
}

// compareAddrs orders objects like the command: child modules after their callers, data
// before resources, then by name.
func compareAddrs(a, b addrs.AbsResourceInstance) int {
	return cmp.Or(cmp.Compare(len(a.Module), len(b.Module)), a.Module.Compare(b.Module),
		a.Resource.Resource.Compare(b.Resource.Resource), addrs.CompareKeys(a.Resource.Key, b.Resource.Key))
}

// tree holds resources in the tree of their modules.
type tree struct {
	modules map[string]*tfjson.StateModule
}

func newTree() *tree {
	return &tree{modules: map[string]*tfjson.StateModule{"": {}}}
}

func (t *tree) root() *tfjson.StateModule { return t.modules[""] }

// module returns the module of the address and creates it and its parents if necessary.
func (t *tree) module(addr addrs.ModuleInstance) *tfjson.StateModule {
	name := addr.String()
	if m := t.modules[name]; m != nil {
		return m
	}
	m := &tfjson.StateModule{Address: name}
	t.modules[name] = m
	parent := t.module(addr.Parent())
	at, _ := slices.BinarySearchFunc(parent.ChildModules, name, func(m *tfjson.StateModule, name string) int { return cmp.Compare(m.Address, name) })
	parent.ChildModules = slices.Insert(parent.ChildModules, at, m)
	return m
}

// noneSensitive is the result of sensitiveValues if no value is sensitive.
var noneSensitive = json.RawMessage(`{}`)

// sensitiveValues returns the JSON of sensitive_values for an object, with true for each sensitive part.
func sensitiveValues(v cty.Value) (json.RawMessage, error) {
	if !v.IsNull() && !v.ContainsMarked() && !hasContainers(v.Type()) {
		return noneSensitive, nil
	}
	return json.Marshal(flags(v, isSensitive))
}

// hasContainers reports whether an object type has attributes that are not primitive. Unless they
// are null, their flags are in the JSON even if no value is sensitive.
func hasContainers(ty cty.Type) bool {
	for _, attribute := range ty.AttributeTypes() {
		if !attribute.IsPrimitiveType() {
			return true
		}
	}
	return false
}

// object returns the attributes of an object, or nil if it is null or unknown.
func object(v cty.Value) map[string]any {
	out, _ := plain(v)
	fields, _ := out.(map[string]any)
	return fields
}

// known returns the attributes of an identity, or nil if it is null or has unknown values.
func known(v cty.Value) map[string]any {
	if v == cty.NilVal {
		return nil
	}
	if v, _ = v.UnmarkDeep(); v.IsNull() || !v.IsWhollyKnown() {
		return nil
	}
	return object(v)
}

package states

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// String returns a list of addresses and object states for test output. It contains no
// values, because these may be sensitive.
func (s *State) String() string {
	var b strings.Builder
	for _, m := range s.sortedModules() {
		for _, r := range sortedResources(m) {
			r.print(&b)
		}
		for _, name := range slices.Sorted(maps.Keys(m.OutputValues)) {
			fmt.Fprintf(&b, "%s\n", m.OutputValues[name].Addr)
		}
	}
	if b.Len() == 0 {
		return "<no state>\n"
	}
	return b.String()
}

func sortedResources(m *Module) []*Resource {
	return slices.SortedFunc(maps.Values(m.Resources), func(a, b *Resource) int { return a.Addr.Resource.Compare(b.Addr.Resource) })
}

func (r *Resource) print(b *strings.Builder) {
	if len(r.Instances) == 0 {
		fmt.Fprintf(b, "%s: no instances, %s\n", r.Addr, r.ProviderConfig)
	}
	keys := slices.SortedFunc(maps.Keys(r.Instances), addrs.CompareKeys)
	for _, key := range keys {
		is := r.Instances[key]
		if is.HasCurrent() {
			fmt.Fprintf(b, "%s: %s, %s\n", r.Addr.Instance(key), is.Current, r.ProviderConfig)
		}
		for _, deposed := range slices.Sorted(maps.Keys(is.Deposed)) {
			fmt.Fprintf(b, "%s deposed %s: %s, %s\n", r.Addr.Instance(key), deposed, is.Deposed[deposed], r.ProviderConfig)
		}
	}
}

// String returns a description of the object without its values.
func (s *ResourceInstanceObjectSrc) String() string {
	if s == nil {
		return "none"
	}
	text := map[ObjectStatus]string{ObjectReady: "ready", ObjectTainted: "tainted", ObjectPlanned: "planned"}[s.Status]
	if text == "" {
		text = s.Status.String()
	}
	text += fmt.Sprintf(", version %d", s.SchemaVersion)
	for i, addr := range s.Dependencies {
		sep := ", "
		if i == 0 {
			sep = ", needs "
		}
		text += sep + addr.String()
	}
	return text
}

// LegacyInstanceObjectID returns the string attribute id of the object, or "".
func LegacyInstanceObjectID(obj *ResourceInstanceObjectSrc) string {
	if obj == nil {
		return ""
	}
	if obj.AttrsFlat != nil {
		return obj.AttrsFlat["id"]
	}
	var attrs struct {
		ID json.RawMessage `json:"id"`
	}
	var id string
	if json.Unmarshal(obj.AttrsJSON, &attrs) != nil || json.Unmarshal(attrs.ID, &id) != nil {
		return ""
	}
	return id
}

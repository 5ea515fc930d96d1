package states

import (
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// ProviderAddrs are the provider configurations that resources belong to, once
// each, in the order of their texts.
func (s *State) ProviderAddrs() []addrs.AbsProviderConfig {
	if s == nil {
		return nil
	}
	found := map[string]addrs.AbsProviderConfig{}
	for _, m := range s.Modules {
		for _, r := range m.Resources {
			found[r.ProviderConfig.String()] = r.ProviderConfig
		}
	}
	var out []addrs.AbsProviderConfig
	for _, text := range slices.Sorted(maps.Keys(found)) {
		out = append(out, found[text])
	}
	return out
}

// ProviderRequirements are the providers that it takes to work with the state,
// once each, in the order of their texts. A state knows nothing of versions.
func (s *State) ProviderRequirements() []addrs.Provider {
	found := map[addrs.Provider]bool{}
	for _, config := range s.ProviderAddrs() {
		found[config.Provider] = true
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b addrs.Provider) int { return strings.Compare(a.String(), b.String()) })
}

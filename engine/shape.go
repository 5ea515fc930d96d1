package engine

import (
	"slices"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// shape is what follows from how the blocks of a configuration refer to each other.
type shape struct {
	// dependencies of a resource block, all that it needs at any remove, sorted. What
	// its provider's configuration needs is among them.
	dependencies map[string][]addrs.ConfigResource
	// createFirst has the blocks whose objects are created before the old ones are
	// destroyed: those that say so and all that they need.
	createFirst map[string]bool
	// blocks are the resource blocks, by address.
	blocks map[string]addrs.ConfigResource
}

// findShape reads it off a graph; explicit are the blocks that say
// create_before_destroy.
func findShape(g *graph, blocks map[string]addrs.ConfigResource, explicit []string) shape {
	s := shape{dependencies: map[string][]addrs.ConfigResource{}, createFirst: map[string]bool{}, blocks: blocks}
	memo := map[*vertex]map[string]struct{}{}
	var below func(v *vertex) map[string]struct{}
	below = func(v *vertex) map[string]struct{} {
		if found, ok := memo[v]; ok {
			return found
		}
		found := map[string]struct{}{}
		memo[v] = found // a cycle is reported by the walk
		for n := range v.needs {
			if _, ok := blocks[n.name]; ok {
				found[n.name] = struct{}{}
			}
			for name := range below(n) {
				found[name] = struct{}{}
			}
		}
		return found
	}
	for _, name := range sortedKeys(blocks) {
		if blocks[name].Resource.Mode == addrs.EphemeralResourceMode {
			continue
		}
		for _, needed := range sortedKeys(below(g.get(name))) {
			s.dependencies[name] = append(s.dependencies[name], blocks[needed])
		}
	}
	for _, name := range explicit {
		s.createFirst[name] = true
		for needed := range below(g.get(name)) {
			s.createFirst[needed] = true
		}
	}
	return s
}

// createFirst reports whether a replacement of the node creates before it destroys.
func (n *node) createFirst() bool {
	return n.shape.createFirst[n.addr.ConfigResource().String()]
}

// dependencies are what the node's object depends on.
func (n *node) dependencies() []addrs.ConfigResource {
	return slices.Clone(n.shape.dependencies[n.addr.ConfigResource().String()])
}

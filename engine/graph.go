package engine

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// vertex is one step of a walk.
type vertex struct {
	// name is unique in its graph and readable: messages about cycles contain it.
	name string
	// run executes the step; nil for vertices that only group others or are disabled.
	run func() tfdiags.Diagnostics
	// needs are the steps that must be done before this one.
	needs map[*vertex]struct{}
}

// graph holds the steps of a walk and their order.
type graph struct {
	vertices map[string]*vertex
	order    []*vertex // in the order of addition, so that equal input gives equal output
	// failed are the steps that failed in the walk, or were skipped because of a failure.
	failed []*vertex
}

func newGraph() *graph { return &graph{vertices: map[string]*vertex{}} }

// add returns the vertex with the name and creates it if necessary. If run is not
// nil, it replaces that of the vertex.
func (g *graph) add(name string, run func() tfdiags.Diagnostics) *vertex {
	v := g.vertices[name]
	if v == nil {
		v = &vertex{name: name, needs: map[*vertex]struct{}{}}
		g.vertices[name] = v
		g.order = append(g.order, v)
	}
	if run != nil {
		v.run = run
	}
	return v
}

// get returns the vertex with the name, or nil.
func (g *graph) get(name string) *vertex { return g.vertices[name] }

// connect makes later wait for earlier. It ignores nil and edges from a vertex to
// itself.
func (g *graph) connect(later, earlier *vertex) {
	if later != nil && earlier != nil && later != earlier {
		later.needs[earlier] = struct{}{}
	}
}

// cycle returns the names of vertices that wait for each other, or nil. It omits the names that
// start with a parenthesis.
func (g *graph) cycle() []string {
	const (
		open = iota + 1
		done
	)
	mark := map[*vertex]int{}
	var path []*vertex
	var visit func(v *vertex) []string
	visit = func(v *vertex) []string {
		switch mark[v] {
		case done:
			return nil
		case open:
			i := slices.Index(path, v)
			var names []string
			for _, p := range path[i:] {
				if !strings.HasPrefix(p.name, "(") {
					names = append(names, p.name)
				}
			}
			return names
		}
		mark[v] = open
		path = append(path, v)
		for _, n := range sortedVertices(v.needs) {
			if c := visit(n); c != nil {
				return c
			}
		}
		path = path[:len(path)-1]
		mark[v] = done
		return nil
	}
	for _, v := range g.order {
		if c := visit(v); c != nil {
			return c
		}
	}
	return nil
}

func sortedVertices(set map[*vertex]struct{}) []*vertex {
	out := make([]*vertex, 0, len(set))
	for v := range set {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b *vertex) int { return strings.Compare(a.name, b.name) })
	return out
}

// walk runs each vertex after all vertices that it needs, in parallel. Vertices that
// need a failed one are skipped, and so are those that have not started when ctx is done.
// Diagnostics are in the order of the vertices, so that runs are comparable. If vertices wait
// for each other, walk runs none and returns an error.
func (g *graph) walk(ctx context.Context) tfdiags.Diagnostics {
	if c := g.cycle(); c != nil {
		return cycleError(c)
	}
	waiting := make(map[*vertex]int, len(g.order))
	dependents := make(map[*vertex][]*vertex, len(g.order))
	for _, v := range g.order {
		waiting[v] = len(v.needs)
		for n := range v.needs {
			dependents[n] = append(dependents[n], v)
		}
	}
	type outcome struct {
		diags tfdiags.Diagnostics
		bad   bool
	}
	var (
		mu      sync.Mutex
		results = make(map[*vertex]outcome, len(g.order))
		wg      sync.WaitGroup
		start   func(v *vertex)
	)
	finish := func(v *vertex, o outcome) []*vertex {
		mu.Lock()
		defer mu.Unlock()
		results[v] = o
		var ready []*vertex
		for _, d := range dependents[v] {
			if waiting[d]--; waiting[d] == 0 {
				ready = append(ready, d)
			}
		}
		return ready
	}
	execute := func(v *vertex) outcome {
		mu.Lock()
		for n := range v.needs {
			if results[n].bad {
				mu.Unlock()
				return outcome{bad: true}
			}
		}
		mu.Unlock()
		if v.run == nil {
			return outcome{}
		}
		if ctx.Err() != nil {
			return outcome{bad: true}
		}
		diags := v.run()
		return outcome{diags: diags, bad: diags.HasErrors()}
	}
	start = func(v *vertex) {
		// One of the vertices that become ready continues in this goroutine.
		for v != nil {
			ready := finish(v, execute(v))
			v = nil
			for i, r := range ready {
				if i == 0 {
					v = r
					continue
				}
				wg.Go(func() { start(r) })
			}
		}
	}
	var roots []*vertex
	for _, v := range g.order {
		if len(v.needs) == 0 {
			roots = append(roots, v)
		}
	}
	// One root runs in this goroutine, whose stack has grown in earlier walks.
	for _, v := range roots[min(1, len(roots)):] {
		wg.Go(func() { start(v) })
	}
	if len(roots) > 0 {
		start(roots[0])
	}
	wg.Wait()
	var diags tfdiags.Diagnostics
	for _, v := range g.order {
		diags = append(diags, results[v].diags...)
		if results[v].bad && v.run != nil && ctx.Err() == nil {
			g.failed = append(g.failed, v)
		}
	}
	if ctx.Err() != nil {
		diags = diags.Errorf("", "Operation stopped", "The run was stopped before it was complete. The changes made until then are in the state.")
	}
	return diags
}

// neededByFailed returns the names of the steps that failed in the walk or were skipped, and of
// everything that they need, directly and indirectly. After a run that was stopped, there are none.
func (g *graph) neededByFailed() map[string]bool {
	found := map[string]bool{}
	var add func(v *vertex)
	add = func(v *vertex) {
		if found[v.name] {
			return
		}
		found[v.name] = true
		for n := range v.needs {
			add(n)
		}
	}
	for _, v := range g.failed {
		add(v)
	}
	return found
}

// dependencyInfo holds facts that follow from the references between blocks.
type dependencyInfo struct {
	// dependencies are all direct and indirect dependencies of a resource block, or of
	// everything in a module (by closeName), sorted, including those of provider
	// configurations.
	dependencies map[string][]addrs.ConfigResource
	// createFirst holds the blocks whose replacements create before they destroy: those with
	// create_before_destroy and their dependencies. In an apply, findCreateFirst adds the vertices
	// of instances, because unchanged instances are not considered.
	createFirst map[string]bool
}

// findDependencies returns the facts that follow from the edges of the graph.
func (b *builder) findDependencies() dependencyInfo {
	s := dependencyInfo{dependencies: map[string][]addrs.ConfigResource{}, createFirst: map[string]bool{}}
	memo := map[*vertex]map[string]addrs.ConfigResource{}
	var below func(v *vertex) map[string]addrs.ConfigResource
	below = func(v *vertex) map[string]addrs.ConfigResource {
		if found, ok := memo[v]; ok {
			return found
		}
		found := map[string]addrs.ConfigResource{}
		memo[v] = found // cycles are reported by the walk
		for n := range v.needs {
			if r, ok := b.resourceOf(n); ok {
				found[r.String()] = r
			}
			maps.Copy(found, below(n))
		}
		return found
	}
	add := func(name string) {
		found := below(b.graph.get(name))
		for _, needed := range sortedKeys(found) {
			s.dependencies[name] = append(s.dependencies[name], found[needed])
		}
	}
	for _, name := range sortedKeys(b.blocks) {
		add(name)
	}
	for _, v := range b.graph.order {
		if strings.HasSuffix(v.name, closeName(nil)) {
			add(v.name)
		}
	}
	for _, name := range b.createFirst {
		s.createFirst[name] = true
		for needed := range below(b.graph.get(name)) {
			s.createFirst[needed] = true
		}
	}
	return s
}

// createFirst reports whether a replacement of the node creates before it destroys.
func (n *node) createFirst() bool {
	if n.op == applying {
		return n.deps.createFirst[applyName(n.text)]
	}
	return n.deps.createFirst[n.addr.ConfigResource().String()]
}

// dependencies returns a copy of the direct and indirect dependencies of the node's block.
func (n *node) dependencies() []addrs.ConfigResource {
	return slices.Clone(n.deps.dependencies[n.addr.ConfigResource().String()])
}

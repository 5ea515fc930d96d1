package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// vertex is one step of a walk.
type vertex struct {
	// name is unique in its graph and makes sense to people: cycles are shown
	// with it.
	name string
	// run does the step; nil for vertices that only stand for others.
	run func() tfdiags.Diagnostics
	// needs are the steps that have to be done before.
	needs map[*vertex]struct{}
}

// graph is the steps of a walk and their order.
type graph struct {
	vertices map[string]*vertex
	order    []*vertex // as they were added, so that equal input gives equal output
}

func newGraph() *graph { return &graph{vertices: map[string]*vertex{}} }

// add returns the vertex of the name, made if need be; run is set where it is
// not nil.
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

// get is the vertex of the name, or nil.
func (g *graph) get(name string) *vertex { return g.vertices[name] }

// connect makes later wait for earlier; nil and a vertex's own name are ignored.
func (g *graph) connect(later, earlier *vertex) {
	if later != nil && earlier != nil && later != earlier {
		later.needs[earlier] = struct{}{}
	}
}

// cycle is the names of vertices that wait for each other, or nil.
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

// walk runs each vertex once all that it needs is done, many at a time. What
// needs something that failed is left out, and so is what has not begun when the
// context ends. The messages come in the order of the vertices, so that runs can be
// compared.
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
		// One of the vertices that become ready goes on in this goroutine.
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
	// One goes on in this goroutine, whose stack has grown in earlier walks.
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
	}
	if ctx.Err() != nil {
		diags = diags.Errorf("", "Operation stopped", "The run was stopped before everything was done. What was done until then is in the state.")
	}
	return diags
}

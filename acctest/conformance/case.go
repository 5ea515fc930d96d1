package conformance

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// kind is something that happens in the life of an object.
type kind string

const (
	stepApply     kind = "apply"
	stepInterrupt kind = "apply, interrupted and then repeated"
	stepImport    kind = "import"
	stepImportID  kind = "import by id"
	stepOther     kind = "changed by somebody else"
	stepVanish    kind = "removed by somebody else"
	stepDrift     kind = "changed by Type.Drift"
	stepDestroy   kind = "destroy"
	// stepDestroyTwice is a destroy that is broken off first.
	stepDestroyTwice kind = "destroy, interrupted and then repeated"

	// A case that begins with a run has an engine make the calls, see whole.
	stepRun       kind = "a whole run"
	stepRunFails  kind = "a whole run, in which another resource fails at first"
	stepRunImport kind = "a whole run that imports"
)

// step is one event of a case.
type step struct {
	kind kind
	// config is that of an apply, or what somebody else applies.
	config cty.Value
	// unknown are places of config that are not known when it is first planned.
	unknown []cty.Path
	// after is when an interrupted apply or destroy is interrupted: in percent of the time
	// that one usually takes, or the n of Options.Fail.
	after int
}

// hasConfig reports whether the step is about a configuration.
func (s step) hasConfig() bool {
	switch s.kind {
	case stepApply, stepInterrupt, stepOther, stepRun, stepRunFails:
		return true
	}
	return false
}

// isInterrupted reports whether the step is broken off at first.
func (s step) isInterrupted() bool { return s.kind == stepInterrupt || s.kind == stepDestroyTwice }

// isWhole reports whether the step is for an engine.
func (s step) isWhole() bool {
	return s.kind == stepRun || s.kind == stepRunFails || s.kind == stepRunImport
}

// kinds are what may happen to an object of the type after it was made.
func (s *subject) kinds() []kind {
	all := append([]kind{stepApply, stepApply, stepInterrupt, stepDestroy}, s.imports()...)
	if !s.Logical {
		all = append(all, stepOther, stepVanish)
	}
	if s.Drift != nil {
		all = append(all, stepDrift)
	}
	return all
}

// imports are the ways in which an object can be imported.
func (s *subject) imports() []kind {
	var all []kind
	if s.identity != nil {
		all = append(all, stepImport)
	}
	if s.ImportID != nil {
		all = append(all, stepImportID)
	}
	return all
}

// newCase is a life: an object is made, and then something happens to it. It is
// nil where no valid configuration was found.
func (s *subject) newCase(c *configurer) []step {
	r := c.r
	first, ok := c.valid()
	if !ok {
		return nil
	}
	steps := []step{{kind: stepApply, config: first, unknown: somePlaces(r, s.body, first)}}
	kinds := s.kinds()
	switch r.IntN(8) {
	case 0:
		steps[0].kind, steps[0].after = stepInterrupt, c.when()
	case 1:
		kinds = []kind{stepRun, stepRunFails, stepRunImport}
		steps[0].kind = kinds[r.IntN(2)]
	}
	for range 2 + r.IntN(3) {
		next := step{kind: kinds[r.IntN(len(kinds))]}
		if next.kind == stepDestroy && r.IntN(2) == 0 {
			next.kind, next.after = stepDestroyTwice, c.when()
		}
		if next.hasConfig() {
			if next.config, ok = c.valid(); !ok {
				return nil
			}
			switch mix := mixed(r, s.body, first, next.config); {
			case r.IntN(6) == 0:
				next.config = c.respelled(first)
			case r.IntN(2) == 0 && c.accepts(mix):
				next.config = mix
			}
			next.unknown, next.after = somePlaces(r, s.body, next.config), c.when()
		}
		steps = append(steps, next)
	}
	if imports := s.imports(); len(imports) > 0 && !steps[0].isWhole() && r.IntN(2) == 0 {
		steps = append(steps, step{kind: imports[r.IntN(len(imports))]})
	}
	return steps
}

// when is when an apply is interrupted.
func (c *configurer) when() int {
	if c.byFailure {
		return c.r.IntN(10)
	}
	return c.r.IntN(150)
}

// mixed is the first configuration with one or two attributes of the second, as
// people change configurations.
func mixed(r *rand.Rand, body *configschema.Block, first, second cty.Value) cty.Value {
	values, others := first.AsValueMap(), second.AsValueMap()
	names := slices.Sorted(maps.Keys(values))
	for range 1 + r.IntN(2) {
		name := names[r.IntN(len(names))]
		if body.Attributes[name] != nil || body.BlockTypes[name] != nil {
			values[name] = others[name]
		}
	}
	return cty.ObjectVal(values)
}

// somePlaces are attributes that get their values from elsewhere, mostly none.
func somePlaces(r *rand.Rand, body *configschema.Block, config cty.Value) []cty.Path {
	if r.IntN(3) > 0 {
		return nil
	}
	var found []cty.Path
	for _, path := range settable(body, config) {
		if r.IntN(3) == 0 {
			found = append(found, path)
		}
	}
	return found
}

// settable are the attributes that a configuration sets, at any depth outside
// of sets.
func settable(body *configschema.Block, config cty.Value) []cty.Path {
	var found []cty.Path
	_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) { // no error is ever made
		if len(path) == 0 {
			return true, nil
		}
		if _, attr := path[len(path)-1].(cty.GetAttrStep); attr && !v.IsNull() {
			if a := body.AttributeByPath(path); a != nil && (a.Required || a.Optional) && a.ImpliedType().Equals(v.Type()) {
				found = append(found, path.Copy())
			}
		}
		return !v.Type().IsSetType() && !v.IsNull(), nil
	})
	slices.SortStableFunc(found, func(a, b cty.Path) int { return len(a) - len(b) })
	return found
}

// blurred is the configuration with the places made unknown.
func blurred(config cty.Value, places []cty.Path) cty.Value {
	for _, path := range places {
		at := valueAt(config, path)
		if at == cty.NilVal || at.IsNull() || !at.IsKnown() {
			continue
		}
		if v, ok := replaced(config, path, cty.UnknownVal(at.Type())); ok {
			config = v
		}
	}
	return config
}

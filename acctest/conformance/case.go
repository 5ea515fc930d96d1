package conformance

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// stepKind is a kind of operation on an object.
type stepKind string

const (
	stepApply     stepKind = "apply"
	stepInterrupt stepKind = "apply, interrupted and then repeated"
	stepImport    stepKind = "import"
	stepImportID  stepKind = "import by ID"
	stepChange    stepKind = "changed outside of Terraform"
	stepRemove    stepKind = "removed outside of Terraform"
	stepDrift     stepKind = "changed by Type.Drift"
	stepDestroy   stepKind = "destroy"
	// stepDestroyTwice is an interrupted destroy, followed by a complete one if the object
	// still exists.
	stepDestroyTwice stepKind = "destroy, interrupted and then repeated"

	// Steps of cases that run on an engine; see engineRun.
	stepRun       stepKind = "a complete run"
	stepRunFails  stepKind = "a complete run in which another resource fails at first"
	stepRunImport stepKind = "a complete run that imports"
)

// step is one operation of a case.
type step struct {
	kind stepKind
	// config is the configuration to apply, in this run or outside of Terraform.
	config cty.Value
	// unknown are the paths in config whose values are unknown in the first plan.
	unknown []cty.Path
	// after is the point at which an apply or destroy is interrupted: a percentage of its
	// usual duration, or n for Options.Fail.
	after int
}

// hasConfig reports whether the step has a configuration.
func (s step) hasConfig() bool {
	switch s.kind {
	case stepApply, stepInterrupt, stepChange, stepRun, stepRunFails:
		return true
	}
	return false
}

// isInterrupted reports whether the step is interrupted and then repeated.
func (s step) isInterrupted() bool { return s.kind == stepInterrupt || s.kind == stepDestroyTwice }

// usesEngine reports whether the step runs on an engine.
func (s step) usesEngine() bool {
	return s.kind == stepRun || s.kind == stepRunFails || s.kind == stepRunImport
}

// kinds returns the kinds from which newCase chooses the steps after the first one in a case
// without an engine. Kinds that occur twice are chosen more often.
func (s *subject) kinds() []stepKind {
	all := append([]stepKind{stepApply, stepApply, stepInterrupt, stepDestroy}, s.imports()...)
	if !s.Logical {
		all = append(all, stepChange, stepRemove)
	}
	if s.Drift != nil {
		all = append(all, stepDrift)
	}
	return all
}

// imports returns the kinds of steps that can import an object.
func (s *subject) imports() []stepKind {
	var all []stepKind
	if s.identity != nil {
		all = append(all, stepImport)
	}
	if s.ImportID != nil {
		all = append(all, stepImportID)
	}
	return all
}

// newCase returns the steps of a case, the first of which creates an object. It returns
// nil if no valid configuration was found.
func (s *subject) newCase(c *configurer) []step {
	r := c.r
	first, ok := c.valid()
	if !ok {
		return nil
	}
	steps := []step{{kind: stepApply, config: first, unknown: randomPaths(r, s.body, first)}}
	kinds := s.kinds()
	switch r.IntN(8) {
	case 0:
		steps[0].kind, steps[0].after = stepInterrupt, c.interruptionPoint()
	case 1:
		kinds = []stepKind{stepRun, stepRunFails, stepRunImport}
		steps[0].kind = kinds[r.IntN(2)]
	}
	for range 2 + r.IntN(3) {
		next := step{kind: kinds[r.IntN(len(kinds))]}
		if next.kind == stepDestroy && r.IntN(2) == 0 {
			next.kind, next.after = stepDestroyTwice, c.interruptionPoint()
		}
		if next.hasConfig() {
			if next.config, ok = c.valid(); !ok {
				return nil
			}
			switch mix := mergeConfigs(r, s.body, first, next.config); {
			case r.IntN(6) == 0:
				next.config = c.varySpelling(first)
			case r.IntN(2) == 0 && c.accepts(mix):
				next.config = mix
			}
			next.unknown, next.after = randomPaths(r, s.body, next.config), c.interruptionPoint()
		}
		steps = append(steps, next)
	}
	if imports := s.imports(); len(imports) > 0 && !steps[0].usesEngine() && r.IntN(2) == 0 {
		steps = append(steps, step{kind: imports[r.IntN(len(imports))]})
	}
	return steps
}

// interruptionPoint returns a random value for step.after.
func (c *configurer) interruptionPoint() int {
	if c.byFailure {
		return c.r.IntN(10)
	}
	return c.r.IntN(150)
}

// mergeConfigs returns the first configuration with one or two attributes or blocks of
// the second, like a typical change of a configuration.
func mergeConfigs(r *rand.Rand, body *configschema.Block, first, second cty.Value) cty.Value {
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

// randomPaths returns paths of attributes that get their values from another resource.
// Most calls return none.
func randomPaths(r *rand.Rand, body *configschema.Block, config cty.Value) []cty.Path {
	if r.IntN(3) > 0 {
		return nil
	}
	return slices.DeleteFunc(settable(body, config), func(cty.Path) bool { return r.IntN(3) > 0 })
}

// settable returns the paths of the attributes that a configuration sets, at any depth
// outside of sets, except those of a dynamic type. Shorter paths are first.
func settable(body *configschema.Block, config cty.Value) []cty.Path {
	var found []cty.Path
	_ = cty.Walk(config, func(path cty.Path, v cty.Value) (bool, error) { // the callback returns no error
		if len(path) == 0 {
			return true, nil
		}
		if _, attr := path[len(path)-1].(cty.GetAttrStep); attr && !v.IsNull() {
			if a := body.EnclosingAttribute(path); a != nil && (a.Required || a.Optional) && a.ImpliedType().Equals(v.Type()) {
				found = append(found, path.Copy())
			}
		}
		return !v.Type().IsSetType() && !v.IsNull(), nil
	})
	slices.SortStableFunc(found, func(a, b cty.Path) int { return len(a) - len(b) })
	return found
}

// withUnknowns returns the configuration with unknown values at the places, except where the
// configuration sets no value.
func withUnknowns(config cty.Value, places []cty.Path) cty.Value {
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

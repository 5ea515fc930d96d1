package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// subject returns the resource type with the name, or an error if the provider does not
// have it or the options have unknown attributes.
func (w *checker) subject(name string) (*subject, error) {
	schema, ok := w.schema.ResourceTypes[name]
	if !ok {
		return nil, fmt.Errorf("conformance: the provider has no resource type %s", name)
	}
	s := &subject{
		Type: w.Types[name], name: name, body: schema.Body, version: schema.Version,
		identity: schema.Identity, ty: schema.Body.ImpliedType(),
	}
	if _, ok := s.ty.AttributeTypes()["timeouts"]; ok {
		s.StateOnly = append(slices.Clip(s.StateOnly), "timeouts")
	}
	if s.identity != nil {
		s.identityTy = s.identity.ImpliedType()
	}
	return s, s.checkNames()
}

// checkNames returns an error if an option has a name that the schema does not have, because a
// misspelt name would have no effect.
func (s *subject) checkNames() error {
	known := pathNames(s.body, "")
	for _, option := range []struct {
		name  string
		paths []string
	}{
		{"Values", slices.Sorted(maps.Keys(s.Values))}, {"Leave", s.Leave}, {"StateOnly", s.StateOnly}, {"Volatile", s.Volatile},
	} {
		for _, path := range option.paths {
			if !slices.Contains(known, path) {
				return fmt.Errorf("conformance: Options.Types[%q].%s has %q, which is not an attribute or block of the type. The type has: %s",
					s.name, option.name, path, strings.Join(known, ", "))
			}
		}
	}
	return nil
}

// pathNames returns the paths, without keys, of all attributes and blocks, sorted.
func pathNames(body *configschema.Block, prefix string) []string {
	var names []string
	var attributes func(prefix string, all map[string]*configschema.Attribute)
	attributes = func(prefix string, all map[string]*configschema.Attribute) {
		for name, a := range all {
			names = append(names, prefix+name)
			if a.NestedType != nil {
				attributes(prefix+name+".", a.NestedType.Attributes)
			}
		}
	}
	attributes(prefix, body.Attributes)
	for name, nested := range body.BlockTypes {
		names = append(append(names, prefix+name), pathNames(&nested.Block, prefix+name+".")...)
	}
	slices.Sort(names)
	return names
}

// checkSchema returns a finding if the schema is invalid.
func (s *subject) checkSchema() *Finding {
	err := s.body.InternalValidate()
	if err == nil {
		return nil
	}
	return newFinding(s, &violation{law: lawSchema, rpc: "GetProviderSchema", what: err.Error()}, nil, "")
}

// tryType runs the cases of a type until a law is broken, and adds the statistics to
// report. If only is not nil, it runs just that case.
func (w *checker) tryType(ctx context.Context, name string, report *Report, only *replay) (f *Finding, err error) {
	s, err := w.subject(name)
	if err != nil {
		return nil, err
	}
	tried := &Tried{Reasons: map[string]string{}, done: map[operation]bool{}, refused: map[operation]*refusal{}}
	report.Types[name] = tried
	if f := s.checkSchema(); f != nil {
		return f, nil
	}
	validator := &run{checker: w, s: s}
	if err := validator.reopen(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, validator.closeProvider()) }()
	s.candidates = w.collectWords(ctx, validator)
	for number := range w.Runs {
		r := replay{name, w.Seed, number}
		if only != nil {
			r = *only
		}
		steps, refused, err := w.generate(ctx, validator, r)
		if err == nil && steps == nil {
			err = noConfig(name, refused)
		}
		if err != nil {
			return w.minimize(ctx, s, steps, r, err)
		}
		tried.Cases++
		steps, done, err := w.runCase(ctx, s, steps)
		for op := range done {
			tried.done[op] = true
		}
		if set, ok := errors.AsType[*rejection](err); ok {
			tried.refuse(set, steps, r)
		} else if err != nil {
			return w.minimize(ctx, s, steps, r, err)
		}
		if only != nil {
			break
		}
	}
	if f, err := w.checkRefusals(ctx, s, tried); f != nil || err != nil || only != nil {
		return f, err
	}
	return w.checkEvidence(s, tried), nil
}

// checkEvidence returns a finding if at least minRefusals cases were refused and fewer
// than a quarter ran to their end, unless the law is waived.
func (w *checker) checkEvidence(s *subject, t *Tried) *Finding {
	if _, waived := w.Waive[lawEvidence]; waived || t.Refused < minRefusals || 4*(t.Cases-t.Refused) >= t.Cases {
		return nil
	}
	most := slices.MaxFunc(slices.Sorted(maps.Keys(t.refused)), func(a, b operation) int { return t.refused[a].times - t.refused[b].times })
	why := t.refused[most]
	return newFinding(s, &violation{law: lawEvidence, rpc: most.rpc(), what: fmt.Sprintf(
		"%d of %s ended early, because the provider refused an operation. The operation that it refused most often has the error: %s\nSet Options.Types[%q].Values for the "+
			"attributes whose values the provider restricts, or Fix for attributes that depend on each other.",
		t.Refused, diag.Count(t.Cases, "case"), errorText(why.diags), s.name)}, why.steps, why.seed)
}

// generate returns the steps of a case, the messages for the last refused configuration,
// and the error for a law broken by validation or for a mistake in the options, if any.
func (w *checker) generate(ctx context.Context, validator *run, r replay) ([]step, diag.Diagnostics, error) {
	c := validator.configurer(ctx, r)
	steps := validator.s.newCase(c)
	if c.mistake != nil {
		return nil, nil, c.mistake
	}
	if c.broken != nil {
		steps = []step{{kind: stepApply, config: c.brokenConfig}}
	}
	return steps, c.refused, c.broken
}

// collectWords extracts candidate values for attributes from the provider's error messages.
// For a given type, the result depends only on the seed.
func (w *checker) collectWords(ctx context.Context, validator *run) map[string][]string {
	candidates := map[string][]string{}
	for number := range wordRuns {
		c := validator.configurer(ctx, replay{validator.s.name, w.Seed, -1 - number})
		c.density = 100
		c.valid()
		for name, words := range c.candidates {
			candidates[name] = append(candidates[name], words...)
		}
	}
	for name, words := range candidates {
		slices.Sort(words)
		candidates[name] = slices.Compact(words)
	}
	return candidates
}

// wordRuns is the number of searches for a valid configuration in collectWords.
const wordRuns = 6

func (r *run) configurer(ctx context.Context, seed replay) *configurer {
	c := &configurer{generator: newGenerator(r.s, seed.random(), r.s.candidates), byFailure: r.Fail != nil}
	c.validate = func(config cty.Value) diag.Diagnostics {
		r.secrets = secretsIn(config)
		messages, err := r.validate(ctx, config)
		if err != nil && c.broken == nil {
			c.broken, c.brokenConfig = err, config
		}
		return messages
	}
	return c
}

func noConfig(name string, refused diag.Diagnostics) error {
	if !refused.HasErrors() {
		return fmt.Errorf("conformance: cannot generate a configuration of %s with all required arguments: set "+
			"Options.Types[%q].Values for these arguments", name, name)
	}
	return fmt.Errorf("conformance: cannot generate a valid configuration of %s: set Options.Types[%q].Values for "+
		"attributes whose values the provider refuses. The last message of the provider:\n%s", name, name, errorText(refused))
}

// runCase runs the steps. It returns the steps that the result is about and the operations that
// succeeded. A violation of the law failed-apply counts only if the provider does not refuse
// the same steps without interruptions. For complete runs, the plain steps run first: if they
// fail, they are returned, because their report is clearer.
func (w *checker) runCase(ctx context.Context, s *subject, steps []step) ([]step, map[operation]bool, error) {
	plain := s.plain(steps)
	if steps[0].usesEngine() {
		if done, err := w.runSteps(ctx, s, plain); err != nil {
			return plain, done, err
		}
	}
	done, err := w.runSteps(ctx, s, steps)
	if v, ok := errors.AsType[*violation](err); ok && v.law == lawFailed {
		_, errPlain := w.runSteps(ctx, s, plain)
		if set, ok := errors.AsType[*rejection](errPlain); ok {
			return steps, done, set
		}
	}
	return steps, done, err
}

// plain returns the steps as single calls without interruptions.
func (s *subject) plain(steps []step) []step {
	out := slices.Clone(steps)
	for i, step := range steps {
		switch {
		case step.kind == stepDestroyTwice:
			out[i].kind = stepDestroy
		case step.kind == stepInterrupt, step.usesEngine() && step.hasConfig():
			out[i].kind = stepApply
		case step.kind == stepRunImport && s.ImportID != nil:
			out[i].kind = stepImportID
		case step.kind == stepRunImport:
			out[i].kind = stepImport
		}
	}
	return out
}

// minimize returns the finding for a violation with the smallest case. Other errors are
// returned unchanged.
func (w *checker) minimize(ctx context.Context, s *subject, steps []step, r replay, err error) (*Finding, error) {
	v, ok := errors.AsType[*violation](err)
	if !ok {
		return nil, err
	}
	small := w.shrink(ctx, s, steps, func(err error) bool {
		now, ok := errors.AsType[*violation](err)
		if !ok || now.law != v.law {
			return false
		}
		v = now
		return true
	})
	return newFinding(s, v, small, r.String()), nil
}

func (w *checker) shrink(ctx context.Context, s *subject, steps []step, same func(error) bool) []step {
	k := &shrinker{s: s, deadline: time.Now().Add(w.ShrinkFor), byFailure: w.Fail != nil}
	k.breaks = func(steps []step) bool {
		for try := range w.attempts(steps) {
			for i := range steps {
				steps[i].after = (steps[i].after + 13*try) % 150
			}
			if _, _, err := w.runCase(ctx, s, steps); same(err) {
				return true
			}
		}
		return false
	}
	return k.smallest(ctx, steps)
}

// attempts returns the number of runs after which a case counts as correct. A canceled
// context does not interrupt the same operation each time.
func (w *checker) attempts(steps []step) int {
	if w.Fail == nil && slices.ContainsFunc(steps, step.isInterrupted) {
		return 10
	}
	return 1
}

// minRefusals is the minimum number of refusals for a finding of checkRefusals or
// checkEvidence.
const minRefusals = 8

func (t *Tried) refuse(set *rejection, steps []step, r replay) {
	t.Refused++
	t.Reasons[string(set.op)] = errorText(set.diags)
	if t.refused[set.op] == nil {
		t.refused[set.op] = &refusal{diags: set.diags, steps: steps, seed: r.String()}
	}
	t.refused[set.op].times++
}

// checkRefusals returns a finding for an operation that never succeeded and was refused
// at least minRefusals times: either the provider is wrong or attributes need values that
// the schema does not describe. If the law is waived, it returns an error, because few
// laws were checked.
func (w *checker) checkRefusals(ctx context.Context, s *subject, t *Tried) (*Finding, error) {
	for _, op := range []operation{planning, creating, updating} {
		refused := t.refused[op]
		if refused == nil || refused.times < minRefusals || t.done[op] || op == planning && t.done[creating] {
			continue
		}
		if _, waived := w.Waive[lawApplyWorks]; waived {
			return nil, fmt.Errorf("conformance: no %s of %s succeeded, so only a few laws were checked. The first error: %s", op, s.name, errorText(refused.diags))
		}
		last := refused.diags
		small := w.shrink(ctx, s, refused.steps, func(err error) bool {
			set, ok := errors.AsType[*rejection](err)
			if !ok || set.op != op {
				return false
			}
			last = set.diags
			return true
		})
		return newFinding(s, &violation{law: lawApplyWorks, rpc: op.rpc(), what: fmt.Sprintf(
			"no %s of a valid configuration succeeded in %s: %s", op, diag.Count(refused.times, "attempt"), errorText(last))}, small, refused.seed), nil
	}
	return nil, nil
}

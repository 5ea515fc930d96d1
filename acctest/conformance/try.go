package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// subject is the type of that name.
func (w *world) subject(name string) (*subject, error) {
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
	return s, nil
}

// unlawful is about a schema by which nothing can be judged.
func (s *subject) unlawful() *Finding {
	err := s.body.InternalValidate()
	if err == nil {
		return nil
	}
	return newFinding(s, &violation{law: lawSchema, rpc: "GetProviderSchema", what: err.Error()}, nil, "")
}

// try leads objects of a type through their lives until a law is broken.
func (w *world) try(ctx context.Context, name string, report *Report, only *replay) (f *Finding, err error) {
	s, err := w.subject(name)
	if err != nil {
		return nil, err
	}
	tried := &Tried{Reasons: map[string]string{}, done: map[operation]bool{}, refused: map[operation]*refusal{}}
	report.Types[name] = tried
	if f := s.unlawful(); f != nil {
		return f, nil
	}
	judge := &run{world: w, s: s}
	if err := judge.reopen(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, judge.shut()) }()
	s.learned = w.lessons(ctx, judge)
	for number := range w.Runs {
		r := replay{name, w.Seed, number}
		if only != nil {
			r = *only
		}
		steps, refused, err := w.generate(ctx, judge, r)
		if err == nil && steps == nil {
			err = noConfig(name, refused)
		}
		if err != nil {
			return w.found(ctx, s, steps, r, err)
		}
		tried.Cases++
		steps, done, err := w.judged(ctx, s, steps)
		for op := range done {
			tried.done[op] = true
		}
		if set, ok := errors.AsType[*setback](err); ok {
			tried.refuse(set, steps, r)
		} else if err != nil {
			return w.found(ctx, s, steps, r, err)
		}
		if only != nil {
			break
		}
	}
	return w.neverWorks(ctx, s, tried)
}

// generate is the case of the number.
func (w *world) generate(ctx context.Context, judge *run, r replay) ([]step, diag.Diagnostics, error) {
	c := judge.configurer(ctx, r)
	steps := judge.s.newCase(c)
	if c.broken != nil {
		steps = []step{{kind: stepApply, config: c.breaking}}
	}
	return steps, c.refused, c.broken
}

// lessons are the words for attributes that the provider's messages have. They
// are the same for each case of a seed.
func (w *world) lessons(ctx context.Context, judge *run) map[string][]string {
	learned := map[string][]string{}
	for number := range lessonsTried {
		c := judge.configurer(ctx, replay{judge.s.name, w.Seed, -1 - number})
		c.density = 100
		c.valid()
		for name, words := range c.learned {
			learned[name] = append(learned[name], words...)
		}
	}
	for name, words := range learned {
		slices.Sort(words)
		learned[name] = slices.Compact(words)
	}
	return learned
}

// lessonsTried is how many configurations are tried for them.
const lessonsTried = 6

func (r *run) configurer(ctx context.Context, seed replay) *configurer {
	c := &configurer{generator: newGenerator(r.s, seed.random(), r.s.learned), byFailure: r.Fail != nil}
	c.judge = func(config cty.Value) diag.Diagnostics {
		r.secrets = secretsIn(config)
		messages, err := r.validate(ctx, config)
		if err != nil && c.broken == nil {
			c.broken, c.breaking = err, config
		}
		return messages
	}
	return c
}

func noConfig(name string, refused diag.Diagnostics) error {
	if !refused.HasErrors() {
		return fmt.Errorf("conformance: no configuration of %s had all that its schema requires, so it was not tried: say in "+
			"Options.Types how its required attributes get values", name)
	}
	return fmt.Errorf("conformance: no valid configuration of %s was found, so it was not tried: say in Options.Types how "+
		"its attributes get values that the provider accepts. It said last:\n%s", name, said(refused))
}

// judged leads an object through the steps, and returns those that it was led
// through in the end. That an apply fails after one was interrupted tells something
// only where plain applies of the same configurations work. The same holds for whole
// runs, and where a single call is enough to see what is wrong, that says more.
func (w *world) judged(ctx context.Context, s *subject, steps []step) ([]step, map[operation]bool, error) {
	plain := s.plain(steps)
	if steps[0].isWhole() {
		if done, err := w.live(ctx, s, plain); err != nil {
			return plain, done, err
		}
	}
	done, err := w.live(ctx, s, steps)
	if brokenLaw(err) == lawFailed {
		_, errPlain := w.live(ctx, s, plain)
		if set, ok := errors.AsType[*setback](errPlain); ok {
			return steps, done, set
		}
	}
	return steps, done, err
}

// plain are the steps without an engine and without interruptions.
func (s *subject) plain(steps []step) []step {
	out := slices.Clone(steps)
	for i, step := range steps {
		switch {
		case step.kind == stepDestroyTwice:
			out[i].kind = stepDestroy
		case step.kind == stepInterrupt, step.isWhole() && step.hasConfig():
			out[i].kind = stepApply
		case step.kind == stepRunImport && s.ImportID != nil:
			out[i].kind = stepImportID
		case step.kind == stepRunImport:
			out[i].kind = stepImport
		}
	}
	return out
}

// found makes a case that broke a law small. Another error is returned as it is.
func (w *world) found(ctx context.Context, s *subject, steps []step, r replay, err error) (*Finding, error) {
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

func (w *world) shrink(ctx context.Context, s *subject, steps []step, same func(error) bool) []step {
	k := &shrinker{s: s, until: time.Now().Add(w.ShrinkFor), byFailure: w.Fail != nil}
	k.breaks = func(steps []step) bool {
		for try := range w.tries(steps) {
			for i := range steps {
				steps[i].after = (steps[i].after + 13*try) % 150
			}
			if _, _, err := w.judged(ctx, s, steps); same(err) {
				return true
			}
		}
		return false
	}
	return k.smallest(ctx, steps)
}

// tries is how often a case is tried before it counts as one that works: an end of
// the context does not come at the same place each time.
func (w *world) tries(steps []step) int {
	if w.Fail == nil && slices.ContainsFunc(steps, step.isInterrupted) {
		return 10
	}
	return 1
}

// few is how often an operation has to be refused, and never done, before that
// counts as a law that is broken.
const few = 8

func (t *Tried) refuse(set *setback, steps []step, r replay) {
	t.Refused++
	t.Reasons[string(set.doing)] = said(set.said)
	if t.refused[set.doing] == nil {
		t.refused[set.doing] = &refusal{said: set.said, steps: steps, seed: r.String()}
	}
	t.refused[set.doing].times++
}

// neverWorks is about operations that each case was refused: what no valid
// configuration can do is either a mistake of the provider, or needs values that a
// schema does not tell. Either way nothing else was tried.
func (w *world) neverWorks(ctx context.Context, s *subject, t *Tried) (*Finding, error) {
	for _, op := range []operation{planning, creating, updating} {
		refused := t.refused[op]
		if refused == nil || refused.times < few || t.done[op] || op == planning && t.done[creating] {
			continue
		}
		if _, waived := w.waive[lawApplyWorks]; waived {
			return nil, fmt.Errorf("conformance: no %s of %s succeeded, so little was tried: %s", op, s.name, said(refused.said))
		}
		last := refused.said
		small := w.shrink(ctx, s, refused.steps, func(err error) bool {
			set, ok := errors.AsType[*setback](err)
			if !ok || set.doing != op {
				return false
			}
			last = set.said
			return true
		})
		return newFinding(s, &violation{law: lawApplyWorks, rpc: op.rpc(), what: fmt.Sprintf(
			"no %s of a valid configuration succeeded in %s: %s", op, diag.Count(refused.times, "try"), said(last))}, small, refused.seed), nil
	}
	return nil, nil
}

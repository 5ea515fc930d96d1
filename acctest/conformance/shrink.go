package conformance

import (
	"context"
	"iter"
	"maps"
	"math/big"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
)

// shrinker minimizes a case that breaks a law.
type shrinker struct {
	s *subject
	// breaks reports whether a case still breaks the law.
	breaks   func(steps []step) bool
	deadline time.Time
	// byFailure means that Options.Fail interrupts applies and destroys; otherwise, they are
	// interrupted after a time.
	byFailure bool
}

// smallest returns the smallest case that it finds before the deadline.
func (k *shrinker) smallest(ctx context.Context, steps []step) []step {
	steps = k.dropMany(ctx, k.dropSteps(ctx, steps))
	for again := true; again; {
		again = false
		// After a success the search continues at the same place. Candidates before it
		// are tried again in the next round.
		for from := 0; ; {
			next, at := k.smaller(ctx, steps, from)
			if next == nil {
				break
			}
			steps, from, again = next, at, true
		}
	}
	return steps
}

func (k *shrinker) expired(ctx context.Context) bool {
	return ctx.Err() != nil || time.Now().After(k.deadline)
}

// smaller returns the first candidate, starting at number from, that still breaks the
// law, and its number, or nil.
func (k *shrinker) smaller(ctx context.Context, steps []step, from int) ([]step, int) {
	at := -1
	for candidate := range k.candidates(steps) {
		if at++; at < from {
			continue
		}
		if k.expired(ctx) {
			break
		}
		if k.breaks(candidate) {
			return candidate, at
		}
	}
	return nil, 0
}

// dropSteps removes steps that are not needed, starting with the last one, because steps
// after the violation were never run.
func (k *shrinker) dropSteps(ctx context.Context, steps []step) []step {
	for i := len(steps) - 1; i >= 0 && len(steps) > 1 && !k.expired(ctx); i-- {
		if i == 0 && steps[0].usesEngine() != steps[1].usesEngine() {
			break
		}
		if fewer := slices.Delete(slices.Clone(steps), i, i+1); k.breaks(fewer) {
			steps = fewer
		}
	}
	return steps
}

// dropMany removes optional attributes and blocks, large groups first, because most of
// them are unrelated to the law.
func (k *shrinker) dropMany(ctx context.Context, steps []step) []step {
	var names []string
	for name, attr := range k.s.body.Attributes {
		if attr.Optional {
			names = append(names, name)
		}
	}
	for name, nested := range k.s.body.BlockTypes {
		if nested.MinItems == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for size := len(names); size > 1; size = (size + 1) / 2 {
		for i := 0; i < len(names) && !k.expired(ctx); {
			end := min(i+size, len(names))
			fewer := k.dropping(steps, names[i:end])
			if !k.breaks(fewer) {
				i = end
				continue
			}
			steps, names = fewer, slices.Delete(names, i, end)
		}
		if size == 2 {
			break
		}
	}
	return steps
}

// dropping returns the steps with the attributes and blocks removed from all
// configurations.
func (k *shrinker) dropping(steps []step, names []string) []step {
	out := slices.Clone(steps)
	for i, s := range out {
		if !s.hasConfig() {
			continue
		}
		values := s.config.AsValueMap()
		for _, name := range names {
			if attr := k.s.body.Attributes[name]; attr != nil {
				values[name] = attr.EmptyValue()
			} else {
				values[name] = k.s.body.BlockTypes[name].EmptyValue()
			}
		}
		out[i].config = cty.ObjectVal(values)
	}
	return out
}

// candidates yields smaller cases: those without a step, then those with a simpler step,
// then those with a smaller configuration. Each candidate is strictly smaller, so that the
// search ends.
func (k *shrinker) candidates(steps []step) iter.Seq[[]step] {
	return func(yield func([]step) bool) {
		for i := range steps {
			if fewer := len(steps) > 1 && (i > 0 || steps[0].usesEngine() == steps[1].usesEngine()); fewer && !yield(slices.Delete(slices.Clone(steps), i, i+1)) {
				return
			}
		}
		for i, s := range steps {
			for _, simpler := range k.simplerSteps(s) {
				changed := slices.Clone(steps)
				changed[i] = simpler
				if !yield(changed) {
					return
				}
			}
		}
		for i, s := range steps {
			if !s.hasConfig() {
				continue
			}
			for e := range k.edits(s.config) {
				// First edit all steps with the same value, because otherwise the edit
				// would add a change between them.
				all, n := everywhere(steps, s.config, e)
				if n > 1 && !yield(all) {
					return
				}
				one := slices.Clone(steps)
				if v, ok := e.apply(s.config); ok {
					one[i].config = v
					if !yield(one) {
						return
					}
				}
			}
		}
	}
}

// simplerSteps returns simpler variants of a step.
func (k *shrinker) simplerSteps(s step) []step {
	var out []step
	if s.isInterrupted() {
		plain := s
		plain.kind, plain.after = stepApply, 0
		if s.kind == stepDestroyTwice {
			plain.kind = stepDestroy
		}
		out = append(out, plain)
		if s.after > 0 && k.byFailure {
			sooner := s
			sooner.after--
			out = append(out, sooner)
		}
	}
	if s.kind == stepChange {
		plain := s
		plain.kind = stepApply
		out = append(out, plain)
	}
	if s.kind == stepRunFails {
		plain := s
		plain.kind = stepRun
		out = append(out, plain)
	}
	if len(s.unknown) > 0 {
		known := s
		known.unknown = nil
		out = append(out, known)
	}
	for i := range s.unknown {
		if len(s.unknown) > 1 {
			fewer := s
			fewer.unknown = slices.Delete(slices.Clone(s.unknown), i, i+1)
			out = append(out, fewer)
		}
	}
	return out
}

// everywhere makes the edit in each configuration that has the same value as config at the
// path of the edit, and returns the steps and the number of edits.
func everywhere(steps []step, config cty.Value, e edit) ([]step, int) {
	was := valueAt(config, e.path)
	out, n := slices.Clone(steps), 0
	for i, s := range out {
		if !s.hasConfig() {
			continue
		}
		if here := valueAt(s.config, e.path); here == cty.NilVal || !here.RawEquals(was) {
			continue
		}
		if v, ok := e.apply(s.config); ok {
			out[i].config = v
			n++
		}
	}
	return out, n
}

// edits yields edits that make a configuration smaller.
func (k *shrinker) edits(config cty.Value) iter.Seq[edit] {
	return func(yield func(edit) bool) { k.blockEdits(k.s.body, nil, config, yield) }
}

func (k *shrinker) blockEdits(b *configschema.Block, path cty.Path, v cty.Value, yield func(edit) bool) bool {
	if v.IsNull() || !v.Type().IsObjectType() {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		nested := b.BlockTypes[name]
		at, here := path.Copy().GetAttr(name), v.GetAttr(name)
		if empty := nested.EmptyValue(); !here.RawEquals(empty) && !yield(edit{at, empty}) {
			return false
		}
		if k.s.Values[nameOf(at)] != nil {
			continue
		}
		if !k.objectsEdits(at, here, yield, func(at cty.Path, here cty.Value) bool {
			return k.blockEdits(&nested.Block, at, here, yield)
		}) {
			return false
		}
	}
	return k.attributesEdits(b.Attributes, path, v, yield)
}

func (k *shrinker) attributesEdits(attrs map[string]*configschema.Attribute, path cty.Path, v cty.Value, yield func(edit) bool) bool {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		attr, at, here := attrs[name], path.Copy().GetAttr(name), v.GetAttr(name)
		if here.IsNull() {
			continue
		}
		if attr.Optional && !yield(edit{at, attr.EmptyValue()}) {
			return false
		}
		if k.s.Values[nameOf(at)] != nil {
			continue
		}
		if attr.NestedType != nil {
			if !k.objectsEdits(at, here, yield, func(at cty.Path, here cty.Value) bool {
				return here.IsNull() || k.attributesEdits(attr.NestedType.Attributes, at, here, yield)
			}) {
				return false
			}
			continue
		}
		if !simplerValues(at, here, yield) {
			return false
		}
	}
	return true
}

// objectsEdits yields edits that shorten a collection of objects, and calls inside for each
// object that has a path: an element of a list, tuple or map, or a single object.
func (k *shrinker) objectsEdits(at cty.Path, v cty.Value, yield func(edit) bool, inside func(cty.Path, cty.Value) bool) bool {
	switch ty := v.Type(); {
	case v.IsNull():
		return true
	case ty.IsListType(), ty.IsTupleType(), ty.IsMapType():
		if !shorter(at, v, yield) {
			return false
		}
		for key, e := range v.Elements() {
			if !inside(at.Copy().Index(key), e) {
				return false
			}
		}
		return true
	case ty.IsSetType():
		return shorter(at, v, yield)
	default:
		return inside(at, v)
	}
}

// shorter yields edits that remove all elements of a collection, the second half, or one of
// the first eight.
func shorter(at cty.Path, v cty.Value, yield func(edit) bool) bool {
	n := v.LengthInt()
	if n == 0 {
		return true
	}
	if !yield(edit{at, keeping(v, func(int) bool { return false })}) {
		return false
	}
	if n > 2 && !yield(edit{at, keeping(v, func(i int) bool { return i < n/2 })}) {
		return false
	}
	for drop := range min(n, 8) {
		if n > 1 && !yield(edit{at, keeping(v, func(i int) bool { return i != drop })}) {
			return false
		}
	}
	return true
}

// keeping returns the collection with only the elements at positions for which keep returns true.
func keeping(v cty.Value, keep func(i int) bool) cty.Value {
	var list []cty.Value
	keyed := map[string]cty.Value{}
	i := 0
	for key, e := range v.Elements() {
		if keep(i) {
			list = append(list, e)
			if v.Type().IsMapType() {
				keyed[key.AsString()] = e
			}
		}
		i++
	}
	switch ty := v.Type(); {
	case ty.IsMapType():
		return mapOf(ty.ElementType(), keyed)
	case ty.IsSetType():
		return setOf(ty.ElementType(), list)
	case ty.IsListType():
		return listOf(ty.ElementType(), list)
	default:
		return cty.TupleVal(list)
	}
}

// simplerValues yields edits to simpler values, for a value of any type.
func simplerValues(at cty.Path, v cty.Value, yield func(edit) bool) bool {
	if v.IsNull() || !v.IsKnown() {
		return true
	}
	ty := v.Type()
	switch {
	case ty == cty.String:
		for _, s := range simplerTexts(v.AsString()) {
			if !yield(edit{at, cty.StringVal(s)}) {
				return false
			}
		}
	case ty == cty.Number:
		for _, n := range simplerNumbers(v.AsBigFloat()) {
			if !yield(edit{at, cty.NumberVal(n)}) {
				return false
			}
		}
	case ty == cty.Bool:
		return v.False() || yield(edit{at, cty.False})
	case ty.IsListType(), ty.IsMapType(), ty.IsSetType():
		if ok := shorter(at, v, yield); !ok || ty.IsSetType() {
			return ok
		}
	}
	if ty.IsListType() || ty.IsMapType() || ty.IsTupleType() {
		for key, e := range v.Elements() {
			if !simplerValues(at.Copy().Index(key), e, yield) {
				return false
			}
		}
	}
	if ty.IsObjectType() {
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			if !simplerValues(at.Copy().GetAttr(name), v.GetAttr(name), yield) {
				return false
			}
		}
	}
	return true
}

// simplerTexts returns simpler strings: "", "a", "A" and parts of s.
func simplerTexts(s string) []string {
	runes := []rune(s)
	var out []string
	if s == "" {
		return nil
	}
	out = append(out, "")
	if s != "a" {
		out = append(out, "a")
	}
	if s != "a" && s != "A" {
		out = append(out, "A")
	}
	if len(runes) > 1 {
		half := len(runes) / 2
		out = append(out, string(runes[:half]), string(runes[half:]), string(runes[1:]), string(runes[:len(runes)-1]))
	}
	return out
}

// simplerNumbers returns simpler numbers: 0, 1 and, beyond 1 and -1, the integer part of
// n/2. It returns nil if n is 0, and only 0 if n is 1.
func simplerNumbers(n *big.Float) []*big.Float {
	var out []*big.Float
	one := big.NewFloat(1)
	if n.Sign() == 0 {
		return nil
	}
	out = append(out, big.NewFloat(0))
	if new(big.Float).Abs(n).Cmp(one) > 0 {
		whole, _ := new(big.Float).Quo(n, big.NewFloat(2)).Int(nil)
		out = append(out, one, new(big.Float).SetInt(whole))
	} else if n.Cmp(one) != 0 {
		out = append(out, one)
	}
	return out
}

package guard

import (
	"github.com/zclconf/go-cty/cty"
)

// stateRules are the ids of the rules that hold for a whole object in any
// answer that goes into state, as they are named for one kind of answer.
type stateRules struct{ unknown, misfit, secret ID }

// verdict is what is wrong with an object.
type verdict int

const (
	lawful verdict = iota
	unknownInside
	misfit
	secretInside
)

// state judges an object that is to be stored, in the order in which Terraform
// does: unknown parts, type, write-only attributes. Only the first of these
// that is broken is reported, for it may be the cause of the others. A null
// object is lawful here.
func (r *report) state(t *resourceType, v cty.Value, rules stateRules) verdict {
	found := t.judgeState(v)
	switch found {
	case unknownInside:
		r.unknownParts(t, v, rules.unknown)
	case misfit:
		r.misfits(t, v, rules.misfit)
	case secretInside:
		r.secrets(t, v, rules.secret)
	}
	return found
}

func (t *resourceType) judgeState(v cty.Value) verdict {
	if v.IsNull() && t.state.conforms(v) {
		return lawful
	}
	if !t.state.conforms(v) {
		if len(unknowns(v)) > 0 {
			return unknownInside
		}
		return misfit
	}
	switch found := t.state.flawsOf(v); {
	case found == 0:
		return lawful
	case found&holdsMark != 0:
		return misfit
	case found&holdsUnknown != 0:
		return unknownInside
	default:
		return secretInside
	}
}

func (r *report) unknownParts(t *resourceType, v cty.Value, rule ID) {
	for _, p := range unknowns(v) {
		r.add(rule, p.path, "%s of %s answered %s.", r.rpc, t.name, describe(p.value, false))
	}
}

func (r *report) misfits(t *resourceType, v cty.Value, rule ID) {
	for _, p := range append(misfits(v.Type(), t.state.ty, nil), marks(v)...) {
		r.add(rule, p.path, "The part of the object that %s of %s answered %s.", r.rpc, t.name, p.text)
	}
}

func (r *report) secrets(t *resourceType, v cty.Value, rule ID) {
	for _, p := range secrets(t.schema, v) {
		r.add(rule, p.path, "%s of %s answered %s for a write-only attribute.", r.rpc, t.name, describe(p.value, true))
	}
}

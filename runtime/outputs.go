package runtime

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// OutputPlanner sets outputs that are known before an apply, such as the digest of
// the content or an address that contains a name. They are in the plan, and the apply must
// return exactly these values; other outputs are planned as without the method. Clients plan
// again when they apply, and the values must be the same, so they must not depend on
// anything that may change in the meantime.
//
// PlanOutputs is called for the plan of a create or an update, once the provider is configured,
// the inputs are wholly known (except for those in fields of type [Value]), and
// ValidateInputs has returned no error.
type OutputPlanner[Config any] interface {
	PlanOutputs(ctx context.Context, cfg Config, plan *OutputPlan) error
}

// OutputPlan collects the outputs that are known during plan.
type OutputPlan struct {
	form   *form
	values map[string]cty.Value
	faults []string // descriptions of invalid calls of Set
}

// Set sets the planned value of an output; nil is null. An output that an update
// does not change keeps its value without a call of Set. An output with the option keep that
// has a value cannot be set to a different one in an update. An invalid call makes the plan
// fail.
func (p *OutputPlan) Set(field string, value any) {
	if fault := p.set(field, value); fault != "" {
		p.faults = append(p.faults, strconv.Quote(field)+", "+fault)
	}
}

// set returns a description of the mistake in the call, or an empty string.
func (p *OutputPlan) set(field string, value any) string {
	a := p.form.byName[field]
	if a == nil || a.class != classComputed && a.class != classChosen {
		return "which is not computed"
	}
	v := a.node.null
	if x := reflect.ValueOf(value); x.IsValid() {
		n := a.out.node
		for n.kind == kindPointer && x.Type() != n.goType {
			n = n.elem
		}
		if x.Type() != n.goType {
			return fmt.Sprintf("which has the type %s, to a value of type %s", n.goType, x.Type())
		}
		var err error
		if v, err = (encoder{}).value(n, x, cty.NilVal); err != nil {
			return fmt.Sprintf("to an invalid value (%v)", err)
		}
	}
	if p.values == nil {
		p.values = make(map[string]cty.Value, 4)
	}
	p.values[field] = v
	return ""
}

// check returns an error that lists all mistakes, or nil if there are none.
func (p *OutputPlan) check() error {
	if len(p.faults) == 0 {
		return nil
	}
	return fmt.Errorf("provider bug: PlanOutputs sets %s; please report this", strings.Join(p.faults, ", and "))
}

// planOutputs calls PlanOutputs, if the inputs are known and the provider is configured, and plans
// the outputs that it sets.
func (p *planning) planOutputs(ctx context.Context) error {
	if p.m.planOutputs == nil || !p.ready {
		return nil
	}
	if err := p.decode(); err != nil || !p.known {
		return err
	}
	plan := OutputPlan{form: p.m.form}
	err := p.c.guardPanic(ctx, "PlanOutputs", func() error {
		return p.m.planOutputs(p.c.context(ctx), p.current, p.cfg, &plan)
	})
	if failed(err) {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(plan.values)) { // so that errors are in order
		v := plan.values[name]
		a := p.m.byName[name]
		switch {
		case a.keep && p.chosenByProvider(a) && usable(p.planned[a.pos]) && !objchange.Equal(p.planned[a.pos], v):
			// The reason is the same as for ModifyResourcePlan: see checkMarks.
			plan.faults = append(plan.faults, strconv.Quote(name)+", which has the option keep, so no update changes it")
		case !p.chosenByProvider(a) || p.planned[a.pos].IsKnown():
			// The output is configured, perhaps with an unknown value, or the update does not change it.
		case !p.create && objchange.Equal(p.m.attr(p.req.PriorState, a), v):
			p.planned[a.pos] = p.m.attr(p.req.PriorState, a)
		default:
			p.planned[a.pos] = v
		}
	}
	if bug := plan.check(); bug != nil {
		return bug
	}
	return err
}

// markMissing plans as unknown the values that the provider determines and that are missing
// in an object stored by an older version of the provider: an update will set them.
func (p *planning) markMissing() {
	for _, a := range p.m.attrs {
		switch v := p.planned[a.pos]; {
		case v.IsNull() && p.chosenByProvider(a) && (a.class == classChosen || a.out.missing()):
			p.planned[a.pos] = a.node.unknown
		case usable(v) && a.chooses():
			p.planned[a.pos] = p.resolve(a, resolver{keep: true, renew: true})
		}
	}
}

package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// PlanResourceChange implements [provider.Interface].
func (s *server) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	resp := provider.PlanResourceChangeResponse{
		PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: storedIdentity(req.PriorIdentity),
	}
	m := s.resources[req.TypeName]
	if m == nil {
		resp.Diagnostics = unknownType(req.TypeName)
		return resp
	}
	if req.Config.IsNull() && req.ProposedNewState.IsNull() {
		resp.PlannedState = m.null // a destroy needs no plan by the provider
		return resp
	}
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	p := planning{m: m, req: &req, create: req.PriorState.IsNull()}
	c := &call{typeName: req.TypeName, form: m.form, plans: true, creates: p.create, configuration: req.Config}
	p.c = c
	if p.create {
		// The second plan of a replacement has the private data, and perhaps the identity,
		// of the object that is replaced. The data must be returned, because Delete gets
		// it; the identity must not.
		resp.PlannedIdentity = cty.NilVal
	}
	err := c.guardPanic(ctx, "PlanResourceChange", func() error { return s.plan(ctx, &p, &resp) })
	resp.Deferred, err = deferredBy(err, req.ClientCapabilities)
	if failed(err) {
		resp.RequiresReplace = nil
	}
	resp.Diagnostics = c.diagnostics("Cannot plan "+req.TypeName, err)
	return resp
}

// planning is the state of one plan.
type planning struct {
	m      *managed
	c      *call
	req    *provider.PlanResourceChangeRequest
	create bool

	cfg     any
	ready   bool         // cfg is usable
	planned []cty.Value  // by position
	changed []*attribute // inputs
	same    []*attribute // inputs whose new values are equivalent to the prior ones
	merged  []*attribute // inputs with sets that lose elements
	drifted []*attribute // outputs
	private privateState
	unknown map[string]bool

	current receiver // decoded inputs, as far as known
	known   bool     // all inputs are known
	prior   receiver
	outputs reflect.Value
}

func (s *server) plan(ctx context.Context, p *planning, resp *provider.PlanResourceChangeResponse) error {
	switch {
	case p.req.Config.IsNull() != p.req.ProposedNewState.IsNull():
		return errNotPlannable
	case !p.req.PriorState.IsKnown():
		return errNotReadable
	case !p.req.PriorIdentity.IsWhollyKnown():
		return errUnknownIdentity
	}
	err := errors.Join(p.m.errNullBlocks(p.req.Config), s.readMeta(ctx, p.c, p.req.ProviderMeta))
	if err != nil {
		return err
	}
	if p.cfg, err = s.configFor(p.m.configType); err != nil {
		if _, ok := errors.AsType[*deferral](err); !ok {
			return err
		}
		if p.req.ClientCapabilities.DeferralAllowed {
			p.fillIn()
			p.markOutputs()
			resp.PlannedState = p.m.object(p.planned)
			return err
		}
		// Without the Config, ValidateInputs and PlanOutputs are not called.
	} else {
		p.ready = true
	}
	p.fillIn()
	if err := p.distinct(); err != nil {
		return err
	}
	if p.create {
		p.markOutputs()
		return p.finish(ctx, resp)
	}
	return p.update(ctx, resp)
}

// finish calls ValidateInputs and PlanOutputs, and sets the planned state.
func (p *planning) finish(ctx context.Context, resp *provider.PlanResourceChangeResponse) error {
	err := p.validate(ctx)
	if !failed(err) {
		err = errors.Join(err, p.planOutputs(ctx))
	}
	resp.PlannedState = p.m.object(p.planned)
	return err
}

// fillIn sets the values of the configuration and the defaults. Computed attributes keep
// their prior value, or are unknown in a create.
func (p *planning) fillIn() {
	p.planned = make([]cty.Value, len(p.m.attrs))
	for i, a := range p.m.attrs {
		p.planned[i] = p.decide(a)
	}
}

func (p *planning) decide(a *attribute) cty.Value {
	if a.writeOnly() {
		return a.node.null
	}
	if a.in != nil {
		v := p.m.attr(p.req.Config, a)
		switch {
		case !v.IsNull() && a.node.resolves:
			return p.resolve(a, resolver{keep: true})
		case !v.IsNull() || a.class == classRequired || a.class == classOptional:
			return v
		}
	}
	switch {
	case a.class == classDefault:
		return p.resolve(a, resolver{keep: true})
	case p.create:
		return a.node.unknown
	default:
		return p.m.attr(p.req.PriorState, a)
	}
}

// chosenByProvider reports whether the provider determines the value in this plan.
func (p *planning) chosenByProvider(a *attribute) bool {
	return a.class == classComputed || a.class == classChosen && p.m.attr(p.req.Config, a).IsNull()
}

// update plans a change of an existing object.
func (p *planning) update(ctx context.Context, resp *provider.PlanResourceChangeResponse) error {
	p.findDrift()
	if err := p.compare(ctx); err != nil {
		return err
	}
	err := p.modify(ctx)
	if failed(err) {
		if _, ok := errors.AsType[*deferral](err); ok {
			// Plan all outputs as unknown: the prior state is not a valid plan if some of its values are
			// no longer configured.
			p.markOutputs()
			resp.PlannedState = p.m.object(p.planned)
		}
		return err
	}
	if len(p.changed) == 0 && len(p.unknown) == 0 {
		resp.PlannedState = p.req.PriorState
		return err
	}
	if len(p.changed) == 1 && p.changed[0] == p.m.timeouts.attr && len(p.unknown) == 0 && p.planned[p.changed[0].pos].IsWhollyKnown() {
		resp.PlannedState = p.m.object(p.planned) // stored without a call of Update
		return err
	}
	var replaceErr error
	if resp.RequiresReplace, replaceErr = p.replacements(ctx); replaceErr != nil {
		return errors.Join(err, replaceErr)
	}
	switch {
	case len(resp.RequiresReplace) > 0:
		p.markOutputs()
	case !p.known || !p.m.modifiesPlan:
		p.markUnkept()
	default:
		p.markMissing()
	}
	p.mark()
	return errors.Join(err, p.finish(ctx, resp))
}

// compare finds the inputs that change. For an equivalent new value the prior value
// is planned, the only deviation from the configuration that a plan may have.
func (p *planning) compare(ctx context.Context) error {
	for _, a := range p.m.ins {
		was, is := p.m.attr(p.req.PriorState, a), p.planned[a.pos]
		if objchange.Equal(was, is) {
			continue
		}
		same, err := p.equivalent(ctx, a, was, is)
		if err != nil {
			return err
		}
		if same {
			// Methods that are called later get the prior value.
			p.planned[a.pos] = was
			p.same = append(p.same, a)
			a.in.in(p.current.value).Set(a.in.in(p.prior.value))
			continue
		}
		p.changed = append(p.changed, a)
	}
	return nil
}

func (p *planning) equivalent(ctx context.Context, a *attribute, was, is cty.Value) (same bool, err error) {
	renamed := sameName(p.cfg, a.name, was, is)
	if p.m.equivalent == nil && !renamed || !usable(was) || !is.IsWhollyKnown() || p.m.attr(p.req.Config, a).IsNull() {
		return false, nil
	}
	if err := p.decode(); err != nil || renamed {
		return renamed, err
	}
	err = p.c.guardPanic(ctx, "EquivalentInput", func() error {
		same = p.m.equivalent(p.c.context(ctx), p.current, a.name, p.prior, p.current)
		return nil
	})
	return same, err
}

// decode decodes the new and prior inputs and the prior outputs, once and only when
// they are needed.
func (p *planning) decode() error {
	if p.current.resource != nil {
		return nil
	}
	var d decoder
	// A value that the provider determines may be unknown; the inputs count as known
	// nevertheless.
	chosen := 0
	for _, a := range p.m.ins {
		if !p.planned[a.pos].IsKnown() && p.chosenByProvider(a) && a.in.node.kind != kindValue {
			chosen++
		}
	}
	p.current = p.m.decodePlanned(&d, p.planned, p.req.Config)
	p.known = d.unknowns == chosen && !p.awaits()
	if err := d.err(); err != nil {
		return invalid(err)
	}
	if p.create {
		return nil
	}
	var err error
	p.prior, p.outputs, err = p.m.stored(p.req.PriorState)
	return err
}

// awaits reports whether the configuration has an unknown value in an input with nested
// attributes that the provider determines. In the plan, such an attribute is unknown both if
// it is unset and if it is unknown in the configuration.
func (p *planning) awaits() bool {
	d := decoder{configured: true}
	for _, a := range p.m.ins {
		if config := p.m.attr(p.req.Config, a); a.chooses() && !config.IsWhollyKnown() {
			d.value(a.node, config, reflect.New(a.node.goType).Elem())
		}
	}
	return d.unknowns > 0
}

// modify calls ModifyResourcePlan, which marks the outputs that will change. It is not
// called while inputs are unknown: then all outputs may change, except kept ones.
func (p *planning) modify(ctx context.Context) error {
	if p.m.modifyPlan == nil {
		return nil
	}
	if err := p.decode(); err != nil {
		return err
	}
	if !p.known {
		return nil
	}
	if a := p.m.timeouts.attr; a != nil {
		// A change of a timeout changes no output.
		a.in.in(p.prior.value).Set(a.in.in(p.current.value))
	}
	var answer ResourcePlanResponse
	err := p.c.guardPanic(ctx, "ModifyResourcePlan", func() error {
		if err := p.m.modifyPlan(p.c.context(ctx), p.current, p.cfg, p.prior, p.outputs, p.m.applied(p.private, p.outputs), &answer); err != nil {
			return err
		}
		return p.checkMarks(answer)
	})
	p.c.addDiagnostics(answer.warnings)
	if failed(err) {
		return err // the names may be wrong
	}
	for name := range answer.kept {
		delete(p.unknown, name)
	}
	for name := range answer.unknown {
		if a := p.m.byName[name]; p.chosenByProvider(a) || a.chooses() {
			mark(&p.unknown, []string{name})
		}
	}
	return err
}

// markOutputs plans as unknown all values that the provider determines.
func (p *planning) markOutputs() {
	for _, a := range p.m.attrs {
		p.markOutput(a)
	}
}

// markUnkept is markOutputs without the attributes with the option keep that have a value.
func (p *planning) markUnkept() {
	for _, a := range p.m.attrs {
		if !a.keep || p.planned[a.pos].IsNull() {
			p.markOutput(a)
		}
	}
}

// markOutput plans as unknown the parts of an attribute that the provider determines.
func (p *planning) markOutput(a *attribute) {
	switch {
	case p.chosenByProvider(a):
		p.planned[a.pos] = a.node.unknown
	case a.chooses() && usable(p.planned[a.pos]):
		p.planned[a.pos] = p.resolve(a, resolver{})
	}
}

// mark plans as unknown the outputs that are marked unknown, have drifted and are not kept, or are volatile.
func (p *planning) mark() {
	for _, a := range p.m.outs {
		if p.unknown[a.name] || a.volatile {
			p.markOutput(a)
		}
	}
}

// validate calls ValidateInputs, if the inputs are known and the provider is configured. If some
// inputs are unknown, it passes the others to a Config that is an [unknownPlanner].
func (p *planning) validate(ctx context.Context) error {
	if p.m.validate == nil || !p.ready {
		return nil
	}
	if err := p.decode(); err != nil {
		return err
	}
	if !p.known {
		planner, is := p.cfg.(unknownPlanner)
		if !is {
			return nil
		}
		return p.c.guardPanic(ctx, "PlanUnknown", func() error {
			planner.PlanUnknown(p.c.context(ctx), p.current.resource.pointer())
			return nil
		})
	}
	return invalid(p.c.guardPanic(ctx, "ValidateInputs", func() error {
		return p.m.validate(p.c.context(ctx), p.current, p.cfg)
	}))
}

// checkMarks returns an error for names of attributes that are not computed: a misspelt name
// would have no effect. It also returns an error if an output with a value and the option keep is
// marked unknown: a plan with unknown inputs, for which the method is not called, has kept the
// value, and clients reject a final plan with a different one.
func (p *planning) checkMarks(r ResourcePlanResponse) error {
	outputs := func(method string, names map[string]bool) error {
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if a := p.m.byName[name]; a == nil || a.class != classComputed && a.class != classChosen && !a.chooses() {
				return fmt.Errorf("provider bug: %s names %q, which is not computed; please report this", method, name)
			}
		}
		return nil
	}
	if err := errors.Join(outputs("MarkOutputUnknown", r.unknown), outputs("KeepOutput", r.kept)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(r.unknown)) {
		if a := p.m.byName[name]; a.keep && !p.planned[a.pos].IsNull() {
			return fmt.Errorf("provider bug: MarkOutputUnknown names %q, which has the option keep, so no update changes it; please report this", name)
		}
	}
	return nil
}

// Changed reports whether two decoded values differ, as [reflect.DeepEqual] compares
// them: pointers by the values that they point to, and a nil slice or map differs from
// an empty one. A T that is a *big.Float or a cty.Value is compared by value.
func Changed[T any](prior, current T) bool {
	return changed(reflect.ValueOf(&prior).Elem(), reflect.ValueOf(&current).Elem())
}

func changed(a, b reflect.Value) bool {
	switch x := a.Interface().(type) {
	case *big.Float:
		y, ok := reflect.TypeAssert[*big.Float](b)
		if !ok || x == nil || y == nil {
			return !ok || x != y
		}
		return x.Cmp(y) != 0
	case cty.Value:
		y, ok := reflect.TypeAssert[cty.Value](b)
		if !ok || x == cty.NilVal || y == cty.NilVal {
			return !ok || (x == cty.NilVal) != (y == cty.NilVal)
		}
		return !x.RawEquals(y)
	}
	return !reflect.DeepEqual(a.Interface(), b.Interface())
}

package bench

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// life is one object of a managed resource type at the moments of its life:
// created, and then changed.
type life struct {
	typeName, size string

	// config is what is configured first, and what is proposed to create.
	config  cty.Value
	created cty.Value // as planned
	state   cty.Value
	// config2 is what is configured then.
	config2   cty.Value
	proposed2 cty.Value
	updated   cty.Value // as planned
	state2    cty.Value
}

// cases are the requests, the RPCs in the order of the life.
func (l life) cases() ([]Case, error) {
	e := encoder{typeName: l.typeName}
	null := cty.NullVal(l.state.Type())
	out := []Case{
		e.validate(l.config),
		e.plan("plan-create", null, l.config, l.config, l.created),
		e.apply("apply-create", null, l.created, l.config, l.state),
		e.upgrade(l.state),
		e.read(l.state),
		e.plan("plan-noop", l.state, l.state, l.config, l.state),
		e.plan("plan-update", l.state, l.proposed2, l.config2, l.updated),
		e.apply("apply-update", l.state, l.updated, l.config2, l.state2),
	}
	for i := range out {
		out[i].Size = l.size
	}
	return out, e.err
}

// encoder makes cases of values and keeps the first error.
type encoder struct {
	typeName string
	err      error
}

func (e *encoder) dynamic(v cty.Value) *tfplugin.DynamicValue {
	b, err := msgpack.Marshal(v, v.Type())
	if err != nil && e.err == nil {
		e.err = err
	}
	return &tfplugin.DynamicValue{MsgPack: b}
}

func (e *encoder) validate(config cty.Value) Case {
	req := &tfplugin.ValidateResourceConfigRequest{TypeName: e.typeName, Config: e.dynamic(config)}
	return Case{RPC: "validate", Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.ValidateResourceConfig(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) plan(rpc string, prior, proposed, config, want cty.Value) Case {
	req := &tfplugin.PlanResourceChangeRequest{
		TypeName:         e.typeName,
		PriorState:       e.dynamic(prior),
		ProposedNewState: e.dynamic(proposed),
		Config:           e.dynamic(config),
	}
	return Case{RPC: rpc, Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.PlanResourceChange(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Value: resp.PlannedState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) apply(rpc string, prior, planned, config, want cty.Value) Case {
	req := &tfplugin.ApplyResourceChangeRequest{
		TypeName:     e.typeName,
		PriorState:   e.dynamic(prior),
		PlannedState: e.dynamic(planned),
		Config:       e.dynamic(config),
	}
	return Case{RPC: rpc, Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.ApplyResourceChange(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) read(state cty.Value) Case {
	req := &tfplugin.ReadResourceRequest{TypeName: e.typeName, CurrentState: e.dynamic(state)}
	return Case{RPC: "read", Want: state, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.ReadResource(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) upgrade(want cty.Value) Case {
	stateJSON, err := ctyjson.Marshal(want, want.Type())
	if err != nil && e.err == nil {
		e.err = err
	}
	req := &tfplugin.UpgradeResourceStateRequest{TypeName: e.typeName, Version: 0, RawState: &tfplugin.RawState{JSON: stateJSON}}
	return Case{RPC: "upgrade", Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := c.Server.UpgradeResourceState(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Value: resp.UpgradedState, Diagnostics: resp.Diagnostics}, nil
	}}
}

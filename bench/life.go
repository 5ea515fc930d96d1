package bench

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// life is the lifecycle of an object of a managed resource type: created, and then changed.
type life struct {
	typeName, size string

	// config is the first configuration, and the proposed object of the create.
	config  cty.Value
	created cty.Value // as planned
	state   cty.Value
	// config2 is the second configuration.
	config2   cty.Value
	proposed2 cty.Value
	updated   cty.Value // as planned
	state2    cty.Value
}

// cases returns the requests, with the RPCs in the order of the lifecycle.
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

// encoder builds cases from values and keeps the first error.
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

// rpc returns a case with one request. Answer returns the common part of a response.
func rpc[Req, Resp any](name string, want cty.Value, req Req, method func(tfplugin.ProviderServer, context.Context, Req) (Resp, error), answer func(Resp) Answer) Case {
	return Case{RPC: name, Want: want, Call: func(ctx context.Context, c Contender) (Answer, error) {
		resp, err := method(c.Server, ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return answer(resp), nil
	}}
}

func (e *encoder) validate(config cty.Value) Case {
	return rpc("validate", cty.NilVal, &tfplugin.ValidateResourceConfigRequest{TypeName: e.typeName, Config: e.dynamic(config)},
		tfplugin.ProviderServer.ValidateResourceConfig,
		func(resp *tfplugin.ValidateResourceConfigResponse) Answer {
			return Answer{Diagnostics: resp.Diagnostics}
		})
}

func (e *encoder) plan(name string, prior, proposed, config, want cty.Value) Case {
	return rpc(name, want, &tfplugin.PlanResourceChangeRequest{
		TypeName: e.typeName, PriorState: e.dynamic(prior), ProposedNewState: e.dynamic(proposed), Config: e.dynamic(config),
	}, tfplugin.ProviderServer.PlanResourceChange, func(resp *tfplugin.PlanResourceChangeResponse) Answer {
		return Answer{Value: resp.PlannedState, Diagnostics: resp.Diagnostics}
	})
}

func (e *encoder) apply(name string, prior, planned, config, want cty.Value) Case {
	return rpc(name, want, &tfplugin.ApplyResourceChangeRequest{
		TypeName: e.typeName, PriorState: e.dynamic(prior), PlannedState: e.dynamic(planned), Config: e.dynamic(config),
	}, tfplugin.ProviderServer.ApplyResourceChange, func(resp *tfplugin.ApplyResourceChangeResponse) Answer {
		return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}
	})
}

func (e *encoder) read(state cty.Value) Case {
	return rpc("read", state, &tfplugin.ReadResourceRequest{TypeName: e.typeName, CurrentState: e.dynamic(state)},
		tfplugin.ProviderServer.ReadResource, func(resp *tfplugin.ReadResourceResponse) Answer {
			return Answer{Value: resp.NewState, Diagnostics: resp.Diagnostics}
		})
}

func (e *encoder) upgrade(want cty.Value) Case {
	state, err := ctyjson.Marshal(want, want.Type())
	if err != nil && e.err == nil {
		e.err = err
	}
	return rpc("upgrade", want, &tfplugin.UpgradeResourceStateRequest{TypeName: e.typeName, RawState: &tfplugin.RawState{JSON: state}},
		tfplugin.ProviderServer.UpgradeResourceState, func(resp *tfplugin.UpgradeResourceStateResponse) Answer {
			return Answer{Value: resp.UpgradedState, Diagnostics: resp.Diagnostics}
		})
}

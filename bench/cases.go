package bench

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Case is one request that every contender gets.
type Case struct {
	RPC  string
	Size string
	// Want is the state in the answer; NilVal for an RPC that answers none.
	Want cty.Value
	// Call sends the request. It may be called often and at the same time.
	Call func(context.Context, tfplugin.ProviderServer) (Answer, error)
}

// Name is "rpc/size".
func (c Case) Name() string { return c.RPC + "/" + c.Size }

// Answer is what the responses of the RPCs have in common.
type Answer struct {
	State       *tfplugin.DynamicValue
	Diagnostics []*tfplugin.Diagnostic
}

// Check reports how an answer differs from what c asks for.
func (c Case) Check(a Answer) error {
	if len(a.Diagnostics) > 0 {
		return fmt.Errorf("%s: %s: %s", c.Name(), a.Diagnostics[0].Summary, a.Diagnostics[0].Detail)
	}
	if c.Want == cty.NilVal {
		return nil
	}
	if a.State == nil {
		return fmt.Errorf("%s: no state in the answer", c.Name())
	}
	got, err := msgpack.Unmarshal(a.State.MsgPack, objectType)
	if err != nil {
		return fmt.Errorf("%s: decode answer: %w", c.Name(), err)
	}
	for name := range objectType.AttributeTypes() {
		if got, want := got.GetAttr(name), c.Want.GetAttr(name); !got.RawEquals(want) {
			return fmt.Errorf("%s: attribute %s differs: the answer has %#v, want %#v", c.Name(), name, got, want)
		}
	}
	return nil
}

// Cases returns every request, the RPCs in the order of a resource's life.
func Cases() ([]Case, error) {
	var out []Case
	for _, s := range sizes() {
		cases, err := casesOf(s)
		if err != nil {
			return nil, fmt.Errorf("requests of size %s: %w", s.name, err)
		}
		out = append(out, cases...)
	}
	return out, nil
}

func casesOf(s size) ([]Case, error) {
	var (
		unknownSize = cty.UnknownVal(cty.Number)
		mode        = cty.StringVal("0644")
		bytes       = cty.NumberIntVal(int64(s.content))
		before      = text(s.content, 1)
		after       = text(s.content, 2)

		null      = cty.NullVal(objectType)
		config    = object{content: before, tags: s.tags}.value()
		config2   = object{content: after, tags: s.tags}.value()
		created   = object{content: before, tags: s.tags, mode: cty.UnknownVal(cty.String), size: unknownSize, exists: cty.UnknownVal(cty.Bool)}.value()
		state     = object{content: before, tags: s.tags, mode: mode, size: bytes, exists: cty.True}.value()
		proposed2 = object{content: after, tags: s.tags, mode: mode, size: bytes, exists: cty.True}.value()
		updated   = object{content: after, tags: s.tags, mode: mode, size: unknownSize, exists: cty.True}.value()
		state2    = proposed2
	)
	stateJSON, err := ctyjson.Marshal(state, objectType)
	if err != nil {
		return nil, err
	}
	var e encoder
	out := []Case{
		e.validate(config),
		e.plan("plan-create", null, config, config, created),
		e.apply("apply-create", null, created, config, state),
		e.upgrade(stateJSON, state),
		e.read(state),
		e.plan("plan-noop", state, state, config, state),
		e.plan("plan-update", state, proposed2, config2, updated),
		e.apply("apply-update", state, updated, config2, state2),
	}
	for i := range out {
		out[i].Size = s.name
	}
	return out, e.err
}

// encoder makes cases of values and keeps the first error.
type encoder struct{ err error }

func (e *encoder) dynamic(v cty.Value) *tfplugin.DynamicValue {
	b, err := msgpack.Marshal(v, objectType)
	if err != nil && e.err == nil {
		e.err = err
	}
	return &tfplugin.DynamicValue{MsgPack: b}
}

func (e *encoder) validate(config cty.Value) Case {
	req := &tfplugin.ValidateResourceConfigRequest{TypeName: TypeName, Config: e.dynamic(config)}
	return Case{RPC: "validate", Call: func(ctx context.Context, s tfplugin.ProviderServer) (Answer, error) {
		resp, err := s.ValidateResourceConfig(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) plan(rpc string, prior, proposed, config, want cty.Value) Case {
	req := &tfplugin.PlanResourceChangeRequest{
		TypeName:         TypeName,
		PriorState:       e.dynamic(prior),
		ProposedNewState: e.dynamic(proposed),
		Config:           e.dynamic(config),
	}
	return Case{RPC: rpc, Want: want, Call: func(ctx context.Context, s tfplugin.ProviderServer) (Answer, error) {
		resp, err := s.PlanResourceChange(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{State: resp.PlannedState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) apply(rpc string, prior, planned, config, want cty.Value) Case {
	req := &tfplugin.ApplyResourceChangeRequest{
		TypeName:     TypeName,
		PriorState:   e.dynamic(prior),
		PlannedState: e.dynamic(planned),
		Config:       e.dynamic(config),
	}
	return Case{RPC: rpc, Want: want, Call: func(ctx context.Context, s tfplugin.ProviderServer) (Answer, error) {
		resp, err := s.ApplyResourceChange(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{State: resp.NewState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) read(state cty.Value) Case {
	req := &tfplugin.ReadResourceRequest{TypeName: TypeName, CurrentState: e.dynamic(state)}
	return Case{RPC: "read", Want: state, Call: func(ctx context.Context, s tfplugin.ProviderServer) (Answer, error) {
		resp, err := s.ReadResource(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{State: resp.NewState, Diagnostics: resp.Diagnostics}, nil
	}}
}

func (e *encoder) upgrade(stateJSON []byte, want cty.Value) Case {
	req := &tfplugin.UpgradeResourceStateRequest{TypeName: TypeName, Version: 0, RawState: &tfplugin.RawState{JSON: stateJSON}}
	return Case{RPC: "upgrade", Want: want, Call: func(ctx context.Context, s tfplugin.ProviderServer) (Answer, error) {
		resp, err := s.UpgradeResourceState(ctx, req)
		if err != nil {
			return Answer{}, err
		}
		return Answer{State: resp.UpgradedState, Diagnostics: resp.Diagnostics}, nil
	}}
}

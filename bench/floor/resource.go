package floor

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// kind is what one resource type decides; no value that it gets is null.
type kind struct {
	ty cty.Type
	// key is the attribute whose change replaces the object.
	key string
	// create and update fill in what a proposal leaves open.
	create func(proposed cty.Value) cty.Value
	update func(prior, proposed cty.Value) cty.Value
	// read and write make and find the object; read answers null where there is
	// none.
	read  func(s *Server, prior cty.Value) (cty.Value, error)
	write func(s *Server, planned cty.Value) (cty.Value, error)
	// remove removes the object.
	remove func(s *Server, prior cty.Value) error
}

var kinds = map[string]*kind{
	typeName:  &fileKind,
	fleetName: &fleetKind,
}

// ValidateResourceConfig accepts what decodes.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	resp := &tfplugin.ValidateResourceConfigResponse{}
	if _, err := decode(req.Config, kinds[req.TypeName].ty); err != nil {
		resp.Diagnostics = failed("Invalid configuration", err)
	}
	return resp, nil
}

// UpgradeResourceState reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	resp := &tfplugin.UpgradeResourceStateResponse{}
	k := kinds[req.TypeName]
	state, err := ctyjson.Unmarshal(req.RawState.JSON, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	if resp.UpgradedState, err = encode(state, k.ty); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

// ReadResource says how the object is now.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	resp := &tfplugin.ReadResourceResponse{Private: req.Private}
	k := kinds[req.TypeName]
	state, err := decode(req.CurrentState, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	if !state.IsNull() {
		if state, err = k.read(s, state); err != nil {
			resp.Diagnostics = failed("Cannot read the object", err)
			return resp, nil
		}
	}
	if resp.NewState, err = encode(state, k.ty); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

// PlanResourceChange fills in what the proposal leaves open.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	resp := &tfplugin.PlanResourceChangeResponse{PlannedPrivate: req.PriorPrivate}
	k := kinds[req.TypeName]
	prior, err := decode(req.PriorState, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	planned, err := decode(req.ProposedNewState, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid proposal", err)
		return resp, nil
	}
	if err := s.decodeRest(k.ty, req.Config); err != nil {
		resp.Diagnostics = failed("Invalid configuration", err)
		return resp, nil
	}
	switch {
	case planned.IsNull():
	case prior.IsNull():
		planned = k.create(planned)
	default:
		planned = k.update(prior, planned)
		if !prior.GetAttr(k.key).RawEquals(planned.GetAttr(k.key)) {
			resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName(k.key)}
		}
	}
	if resp.PlannedState, err = encode(planned, k.ty); err != nil {
		resp.Diagnostics = failed("Invalid plan", err)
	}
	return resp, nil
}

// ApplyResourceChange makes, changes or removes the object.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	resp := &tfplugin.ApplyResourceChangeResponse{Private: req.PlannedPrivate}
	k := kinds[req.TypeName]
	planned, err := decode(req.PlannedState, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid plan", err)
		return resp, nil
	}
	if planned.IsNull() {
		return s.remove(k, req, resp)
	}
	if err := s.decodeRest(k.ty, req.PriorState, req.Config); err != nil {
		resp.Diagnostics = failed("Invalid state or configuration", err)
		return resp, nil
	}
	state, err := k.write(s, planned)
	if err != nil {
		resp.NewState = req.PriorState
		resp.Diagnostics = failed("Cannot write the object", err)
		return resp, nil
	}
	if resp.NewState, err = encode(state, k.ty); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

func (s *Server) remove(k *kind, req *tfplugin.ApplyResourceChangeRequest, resp *tfplugin.ApplyResourceChangeResponse) (*tfplugin.ApplyResourceChangeResponse, error) {
	prior, err := decode(req.PriorState, k.ty)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	if !prior.IsNull() {
		if err := k.remove(s, prior); err != nil {
			resp.NewState = req.PriorState
			resp.Diagnostics = failed("Cannot remove the object", err)
			return resp, nil
		}
	}
	resp.NewState = req.PlannedState
	return resp, nil
}

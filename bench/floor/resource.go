package floor

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/bench/disk"
)

// Kind is a resource type. Its functions are never called with null values.
type Kind struct {
	Type cty.Type
	// Key is the attribute whose change replaces the object.
	Key string
	// Create and Update complete a proposed object.
	Create func(proposed cty.Value) cty.Value
	Update func(prior, proposed cty.Value) cty.Value
	// Read returns the object, or null if it does not exist.
	Read func(files *disk.Files, prior cty.Value) (cty.Value, error)
	// Write creates or changes the object, and returns its state.
	Write  func(files *disk.Files, planned cty.Value) (cty.Value, error)
	Remove func(files *disk.Files, prior cty.Value) error
	// Identity returns the identity of an object. It is nil if the type has none.
	Identity     func(state cty.Value) cty.Value
	IdentityType cty.Type
	// Private is stored with each object.
	Private []byte
}

// ValidateResourceConfig accepts every configuration that can be decoded.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	_, err := decode(req.Config, s.Kinds[req.TypeName].Type)
	return &tfplugin.ValidateResourceConfigResponse{Diagnostics: failed("Invalid configuration", err)}, nil
}

// UpgradeResourceState reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	resp := &tfplugin.UpgradeResourceStateResponse{}
	k := s.Kinds[req.TypeName]
	state, err := ctyjson.Unmarshal(req.RawState.JSON, k.Type)
	if err == nil {
		resp.UpgradedState, err = encode(state, k.Type)
	}
	resp.Diagnostics = failed("Invalid state", err)
	return resp, nil
}

// UpgradeResourceIdentity reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceIdentity(_ context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	resp := &tfplugin.UpgradeResourceIdentityResponse{}
	k := s.Kinds[req.TypeName]
	identity, err := ctyjson.Unmarshal(req.RawIdentity.JSON, k.IdentityType)
	if err == nil {
		resp.UpgradedIdentity, err = k.encodeIdentity(identity)
	}
	resp.Diagnostics = failed("Invalid identity", err)
	return resp, nil
}

// ReadResource returns the current object.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	resp := &tfplugin.ReadResourceResponse{Private: req.Private, NewIdentity: req.CurrentIdentity}
	k := s.Kinds[req.TypeName]
	state, err := decode(req.CurrentState, k.Type)
	if err == nil && !state.IsNull() {
		state, err = k.Read(s.Files, state)
	}
	if err == nil {
		resp.NewState, err = encode(state, k.Type)
	}
	resp.Diagnostics = failed("Cannot read the object", err)
	return resp, nil
}

// PlanResourceChange completes the proposed object.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	resp := &tfplugin.PlanResourceChangeResponse{PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
	k := s.Kinds[req.TypeName]
	prior, err := decode(req.PriorState, k.Type)
	var planned cty.Value
	if err == nil {
		planned, err = decode(req.ProposedNewState, k.Type)
	}
	if err != nil {
		resp.Diagnostics = failed("Invalid state or proposal", err)
		return resp, nil
	}
	switch {
	case planned.IsNull():
	case prior.IsNull():
		planned = k.Create(planned)
	default:
		planned = k.Update(prior, planned)
		if !prior.GetAttr(k.Key).RawEquals(planned.GetAttr(k.Key)) {
			resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName(k.Key)}
		}
	}
	resp.PlannedState, err = encode(planned, k.Type)
	resp.Diagnostics = failed("Invalid plan", err)
	return resp, nil
}

// ApplyResourceChange creates, changes or removes the object. If that fails, the state keeps
// the prior object.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	resp := &tfplugin.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate}
	resp.Diagnostics = failed("Cannot apply the change", s.apply(s.Kinds[req.TypeName], req, resp))
	return resp, nil
}

func (s *Server) apply(k *Kind, req *tfplugin.ApplyResourceChangeRequest, resp *tfplugin.ApplyResourceChangeResponse) error {
	planned, err := decode(req.PlannedState, k.Type)
	if err != nil {
		return err
	}
	if planned.IsNull() {
		if err := s.remove(k, req.PriorState); err != nil {
			return err
		}
		resp.NewState = req.PlannedState
		return nil
	}
	state, err := k.Write(s.Files, planned)
	if err != nil {
		return err
	}
	if k.Private != nil {
		resp.Private = k.Private
	}
	if resp.NewState, err = encode(state, k.Type); err == nil && k.Identity != nil {
		resp.NewIdentity, err = k.encodeIdentity(k.Identity(state))
	}
	return err
}

func (s *Server) remove(k *Kind, encoded *tfplugin.DynamicValue) error {
	prior, err := decode(encoded, k.Type)
	if err != nil || prior.IsNull() {
		return err
	}
	return k.Remove(s.Files, prior)
}

func (k *Kind) encodeIdentity(identity cty.Value) (*tfplugin.ResourceIdentityData, error) {
	data, err := encode(identity, k.IdentityType)
	return &tfplugin.ResourceIdentityData{IdentityData: data}, err
}

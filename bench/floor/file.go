package floor

import (
	"context"
	"errors"
	"io/fs"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

const defaultMode = "0644"

// ValidateResourceConfig accepts what decodes.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	resp := &tfplugin.ValidateResourceConfigResponse{}
	if _, err := decode(req.Config); err != nil {
		resp.Diagnostics = failed("Invalid configuration", err)
	}
	return resp, nil
}

// UpgradeResourceState reads the stored JSON; there is one schema version.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	resp := &tfplugin.UpgradeResourceStateResponse{}
	state, err := ctyjson.Unmarshal(req.RawState.JSON, fileType)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	if resp.UpgradedState, err = encode(state); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

// ReadResource says how the file is now.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	resp := &tfplugin.ReadResourceResponse{Private: req.Private}
	prior, err := decode(req.CurrentState)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	state, err := s.read(prior)
	if err != nil {
		resp.Diagnostics = failed("Cannot read file", err)
		return resp, nil
	}
	if resp.NewState, err = encode(state); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

func (s *Server) read(prior cty.Value) (cty.Value, error) {
	if prior.IsNull() {
		return prior, nil
	}
	attrs := prior.AsValueMap()
	if s.Files != nil {
		content, mode, err := s.Files.Read(attrs["path"].AsString())
		if errors.Is(err, fs.ErrNotExist) {
			return cty.NullVal(fileType), nil
		}
		if err != nil {
			return cty.NilVal, err
		}
		attrs["content"] = cty.StringVal(content)
		attrs["mode"] = cty.StringVal(mode)
	}
	attrs["size"] = cty.NumberIntVal(int64(len(attrs["content"].AsString())))
	attrs["exists"] = cty.True
	return cty.ObjectVal(attrs), nil
}

// PlanResourceChange fills in what the proposal leaves open.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	resp := &tfplugin.PlanResourceChangeResponse{PlannedPrivate: req.PriorPrivate}
	prior, err := decode(req.PriorState)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	planned, err := decode(req.ProposedNewState)
	if err != nil {
		resp.Diagnostics = failed("Invalid proposal", err)
		return resp, nil
	}
	if err := s.decodeRest(req.Config); err != nil {
		resp.Diagnostics = failed("Invalid configuration", err)
		return resp, nil
	}
	switch {
	case planned.IsNull():
	case prior.IsNull():
		planned = planCreate(planned)
	default:
		planned = planUpdate(prior, planned)
		if !prior.GetAttr("path").RawEquals(planned.GetAttr("path")) {
			resp.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("path")}
		}
	}
	if resp.PlannedState, err = encode(planned); err != nil {
		resp.Diagnostics = failed("Invalid plan", err)
	}
	return resp, nil
}

func planCreate(proposed cty.Value) cty.Value {
	attrs := proposed.AsValueMap()
	attrs["size"] = cty.UnknownVal(cty.Number)
	attrs["exists"] = cty.UnknownVal(cty.Bool)
	if attrs["mode"].IsNull() {
		attrs["mode"] = cty.UnknownVal(cty.String)
	}
	return cty.ObjectVal(attrs)
}

func planUpdate(prior, proposed cty.Value) cty.Value {
	if prior.GetAttr("content").RawEquals(proposed.GetAttr("content")) {
		return proposed
	}
	attrs := proposed.AsValueMap()
	attrs["size"] = cty.UnknownVal(cty.Number)
	return cty.ObjectVal(attrs)
}

// ApplyResourceChange writes or removes the file.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	resp := &tfplugin.ApplyResourceChangeResponse{Private: req.PlannedPrivate}
	planned, err := decode(req.PlannedState)
	if err != nil {
		resp.Diagnostics = failed("Invalid plan", err)
		return resp, nil
	}
	if planned.IsNull() {
		return s.remove(req, resp)
	}
	if err := s.decodeRest(req.PriorState, req.Config); err != nil {
		resp.Diagnostics = failed("Invalid state or configuration", err)
		return resp, nil
	}
	state, err := s.write(planned)
	if err != nil {
		resp.NewState = req.PriorState
		resp.Diagnostics = failed("Cannot write file", err)
		return resp, nil
	}
	if resp.NewState, err = encode(state); err != nil {
		resp.Diagnostics = failed("Invalid state", err)
	}
	return resp, nil
}

func (s *Server) write(planned cty.Value) (cty.Value, error) {
	attrs := planned.AsValueMap()
	content := attrs["content"].AsString()
	if !attrs["mode"].IsKnown() {
		attrs["mode"] = cty.StringVal(defaultMode)
	}
	if s.Files != nil {
		if err := s.Files.Write(attrs["path"].AsString(), content, attrs["mode"].AsString()); err != nil {
			return cty.NilVal, err
		}
	}
	attrs["size"] = cty.NumberIntVal(int64(len(content)))
	attrs["exists"] = cty.True
	return cty.ObjectVal(attrs), nil
}

func (s *Server) remove(req *tfplugin.ApplyResourceChangeRequest, resp *tfplugin.ApplyResourceChangeResponse) (*tfplugin.ApplyResourceChangeResponse, error) {
	prior, err := decode(req.PriorState)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	if s.Files != nil && !prior.IsNull() {
		if err := s.Files.Remove(prior.GetAttr("path").AsString()); err != nil {
			resp.NewState = req.PriorState
			resp.Diagnostics = failed("Cannot remove file", err)
			return resp, nil
		}
	}
	resp.NewState = req.PlannedState
	return resp, nil
}

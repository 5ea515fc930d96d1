package twin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// ValidateResourceConfig accepts what decodes.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	_, err := decode(req.Config, s.fileType)
	return &tfplugin.ValidateResourceConfigResponse{Diagnostics: failed("Invalid configuration", err)}, nil
}

// ReadResource says how the file is now.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	resp := &tfplugin.ReadResourceResponse{Private: req.Private, NewIdentity: req.CurrentIdentity}
	state, err := decode(req.CurrentState, s.fileType)
	if err == nil {
		state, err = s.read(state)
	}
	if err == nil {
		resp.NewState, err = encode(state, s.fileType)
	}
	resp.Diagnostics = failed("Cannot read file", err)
	return resp, nil
}

func (s *Server) read(prior cty.Value) (cty.Value, error) {
	if prior.IsNull() {
		return prior, nil
	}
	attrs := prior.AsValueMap()
	path := attrs["path"].AsString()
	content, mode, err := s.files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return cty.NullVal(s.fileType), nil
	}
	if err != nil {
		return cty.NilVal, err
	}
	attrs["content"], attrs["mode"] = cty.StringVal(content), cty.StringVal(mode)
	return s.describe(attrs, path, content)
}

// PlanResourceChange fills in what the proposal leaves open.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	resp := &tfplugin.PlanResourceChangeResponse{PlannedPrivate: req.PriorPrivate, PlannedIdentity: req.PriorIdentity}
	prior, err := decode(req.PriorState, s.fileType)
	if err != nil {
		resp.Diagnostics = failed("Invalid state", err)
		return resp, nil
	}
	planned, err := decode(req.ProposedNewState, s.fileType)
	if err != nil {
		resp.Diagnostics = failed("Invalid proposal", err)
		return resp, nil
	}
	if !planned.IsNull() && (prior.IsNull() || !prior.GetAttr("content").RawEquals(planned.GetAttr("content"))) {
		planned = s.plan(planned)
	}
	resp.PlannedState, err = encode(planned, s.fileType)
	resp.Diagnostics = failed("Invalid plan", err)
	return resp, nil
}

func (s *Server) plan(proposed cty.Value) cty.Value {
	attrs := proposed.AsValueMap()
	setNull(attrs, "host", cty.StringVal("local"))
	setNull(attrs, "mode", cty.StringVal("0644"))
	setNull(attrs, "parents", cty.True)
	setNull(attrs, "overwrite", cty.False)
	setNull(attrs, "owner", cty.UnknownVal(cty.String))
	setNull(attrs, "group", cty.UnknownVal(cty.String))
	attrs["sha256"], attrs["size"] = cty.UnknownVal(cty.String), cty.UnknownVal(cty.Number)
	if content := attrs["content"]; content.IsKnown() {
		attrs["sha256"], attrs["size"] = digest(content.AsString())
	}
	return cty.ObjectVal(attrs)
}

func setNull(attrs map[string]cty.Value, name string, v cty.Value) {
	if attrs[name].IsNull() {
		attrs[name] = v
	}
}

func digest(content string) (sha256sum, size cty.Value) {
	sum := sha256.Sum256([]byte(content))
	return cty.StringVal(hex.EncodeToString(sum[:])), cty.NumberIntVal(int64(len(content)))
}

// ApplyResourceChange writes or removes the file.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	resp := &tfplugin.ApplyResourceChangeResponse{NewState: req.PriorState, Private: req.PlannedPrivate}
	planned, err := decode(req.PlannedState, s.fileType)
	if err != nil {
		resp.Diagnostics = failed("Invalid plan", err)
		return resp, nil
	}
	if planned.IsNull() {
		if err := s.remove(req.PriorState); err != nil {
			resp.Diagnostics = failed("Cannot remove file", err)
			return resp, nil
		}
		resp.NewState = req.PlannedState
		return resp, nil
	}
	state, err := s.write(planned)
	if err == nil {
		resp.NewState, err = encode(state, s.fileType)
	}
	if err == nil {
		resp.NewIdentity, err = s.identity(state)
	}
	resp.Diagnostics = failed("Cannot write file", err)
	return resp, nil
}

func (s *Server) write(planned cty.Value) (cty.Value, error) {
	attrs := planned.AsValueMap()
	path, content := attrs["path"].AsString(), attrs["content"].AsString()
	if err := s.files.Write(path, content, attrs["mode"].AsString()); err != nil {
		return cty.NilVal, err
	}
	return s.describe(attrs, path, content)
}

// describe sets what is computed of a file's content and owner.
func (s *Server) describe(attrs map[string]cty.Value, path, content string) (cty.Value, error) {
	owner, group, err := s.files.Owner(path)
	if err != nil {
		return cty.NilVal, err
	}
	attrs["owner"], attrs["group"] = cty.StringVal(owner), cty.StringVal(group)
	attrs["sha256"], attrs["size"] = digest(content)
	return cty.ObjectVal(attrs), nil
}

func (s *Server) remove(encoded *tfplugin.DynamicValue) error {
	prior, err := decode(encoded, s.fileType)
	if err != nil || prior.IsNull() {
		return err
	}
	return s.files.Remove(prior.GetAttr("path").AsString())
}

func (s *Server) identity(state cty.Value) (*tfplugin.ResourceIdentityData, error) {
	data, err := encode(cty.ObjectVal(map[string]cty.Value{
		"host": state.GetAttr("host"),
		"path": state.GetAttr("path"),
	}), s.identityType)
	if err != nil {
		return nil, err
	}
	return &tfplugin.ResourceIdentityData{IdentityData: data}, nil
}

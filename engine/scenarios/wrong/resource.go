package wrong

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// asked are the values of a request, each decoded by the type's schema.
func (s *Server) asked(typeName string, body *configschema.Block, in map[string]*tfplugin.DynamicValue) (map[string]cty.Value, error) {
	if body == nil {
		return nil, fmt.Errorf("there is no type %s", typeName)
	}
	ty, out := body.ImpliedType(), map[string]cty.Value{}
	for name, value := range in {
		v, err := decoded(value, ty)
		if err != nil {
			return nil, s.wrongScript(fmt.Errorf("%s of %s: %w", name, typeName, err))
		}
		out[name] = v
	}
	return out, nil
}

// identity is the identity of a request, cty.NilVal if there is none.
func (s *Server) identity(typeName string, in *tfplugin.ResourceIdentityData) cty.Value {
	object := s.identityObject(typeName)
	if in == nil || object == nil {
		return cty.NilVal
	}
	v, err := decoded(in.IdentityData, object.ObjectType())
	if err != nil || v.IsNull() {
		return cty.NilVal
	}
	return v
}

// identityOf is the identity that a well-behaved provider gives an object.
func (s *Server) identityOf(typeName string, v cty.Value) cty.Value {
	object := s.identityObject(typeName)
	if object == nil || v.IsNull() {
		return cty.NilVal
	}
	attributes := map[string]cty.Value{}
	for name, ty := range object.ObjectType().AttributeTypes() {
		attributes[name] = cty.NullVal(ty)
		if t := text(v, name); t != "" && ty == cty.String {
			attributes[name] = cty.StringVal(t)
		}
	}
	return cty.ObjectVal(attributes)
}

// nameOf is the name of the first of the objects that has one.
func nameOf(objects ...cty.Value) string {
	for _, v := range objects {
		if name := text(v, "name"); name != "" {
			return name
		}
	}
	return ""
}

func actOf(prior, planned cty.Value) string {
	switch {
	case prior.IsNull():
		return "create"
	case planned.IsNull():
		return "delete"
	}
	return "update"
}

// ValidateResourceConfig accepts everything.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	values, err := s.asked(req.TypeName, block(s.response.ResourceSchemas, req.TypeName), map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	c, err := s.begin("validate", req.TypeName, nameOf(values["config"]), "", values)
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateResourceConfigResponse{Diagnostics: c.diagnostics()}, nil
}

// UpgradeResourceState keeps what the schema still has.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	body := block(s.response.ResourceSchemas, req.TypeName)
	if body == nil {
		return nil, fmt.Errorf("there is no type %s", req.TypeName)
	}
	stored, note := cty.NullVal(body.ImpliedType()), ""
	if raw := req.RawState; raw != nil {
		if raw.Flatmap != nil {
			note = "flatmap"
		}
		var err error
		if stored, err = fromJSON(raw.JSON, body.ImpliedType()); err != nil {
			stored, note = cty.NullVal(body.ImpliedType()), "of another shape"
		}
	}
	c, err := s.begin("upgrade", req.TypeName, nameOf(stored), "", map[string]cty.Value{"stored": stored}, versionNote(req.Version), note)
	if err != nil {
		return nil, err
	}
	out, _, err := c.state(stored, body.ImpliedType())
	return &tfplugin.UpgradeResourceStateResponse{UpgradedState: out, Diagnostics: c.diagnostics()}, err
}

func versionNote(version int64) string {
	if version == 0 {
		return ""
	}
	return fmt.Sprintf("version %d", version)
}

// UpgradeResourceIdentity keeps what the schema still has.
func (s *Server) UpgradeResourceIdentity(_ context.Context, req *tfplugin.UpgradeResourceIdentityRequest) (*tfplugin.UpgradeResourceIdentityResponse, error) {
	ty := cty.EmptyObject
	if object := s.identityObject(req.TypeName); object != nil {
		ty = object.ObjectType()
	}
	var stored []byte
	if req.RawIdentity != nil {
		stored = req.RawIdentity.JSON
	}
	v, err := fromJSON(stored, ty)
	if err != nil {
		return nil, err
	}
	c, err := s.begin("upgrade_identity", req.TypeName, "", "", map[string]cty.Value{"stored": v}, versionNote(req.Version))
	if err != nil {
		return nil, err
	}
	identity, err := c.identity(req.TypeName, v)
	return &tfplugin.UpgradeResourceIdentityResponse{UpgradedIdentity: identity, Diagnostics: c.diagnostics()}, err
}

// ReadResource finds the object as it was; after an import, with its computed
// attributes.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	body := block(s.response.ResourceSchemas, req.TypeName)
	values, err := s.asked(req.TypeName, body, map[string]*tfplugin.DynamicValue{"current": req.CurrentState})
	if err != nil {
		return nil, err
	}
	current, identity := values["current"], s.identity(req.TypeName, req.CurrentIdentity)
	name := nameOf(current)
	c, err := s.begin("read", req.TypeName, name, "", values, privateNote(req.Private), valueNote("identity", identity))
	if err != nil {
		return nil, err
	}
	out, found, err := c.state(filled(withComputed(body, current), name), body.ImpliedType())
	if err != nil {
		return nil, err
	}
	if identity == cty.NilVal {
		identity = s.identityOf(req.TypeName, found)
	}
	data, err := c.identity(req.TypeName, identity)
	return &tfplugin.ReadResourceResponse{
		NewState: out, Private: c.private(req.Private), NewIdentity: data, Deferred: c.deferred(), Diagnostics: c.diagnostics(),
	}, err
}

// PlanResourceChange plans what is proposed.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	body := block(s.response.ResourceSchemas, req.TypeName)
	values, err := s.asked(req.TypeName, body, map[string]*tfplugin.DynamicValue{
		"prior": req.PriorState, "config": req.Config, "proposed": req.ProposedNewState,
	})
	if err != nil {
		return nil, err
	}
	prior, proposed, identity := values["prior"], values["proposed"], s.identity(req.TypeName, req.PriorIdentity)
	c, err := s.begin("plan", req.TypeName, nameOf(values["config"], prior), actOf(prior, proposed), values,
		privateNote(req.PriorPrivate), valueNote("identity", identity))
	if err != nil {
		return nil, err
	}
	out, _, err := c.state(withComputed(body, proposed), body.ImpliedType())
	if err != nil {
		return nil, err
	}
	data, err := c.identity(req.TypeName, identity)
	if err != nil {
		return nil, err
	}
	answer := &tfplugin.PlanResourceChangeResponse{
		PlannedState: out, PlannedPrivate: c.private(req.PriorPrivate), PlannedIdentity: data,
		Deferred: c.deferred(), Diagnostics: c.diagnostics(),
		UnsafeToUseLegacyTypeSystem: c.legacy(), //nolint:staticcheck // scripts play old providers
	}
	var paths []string
	if !prior.IsNull() && !proposed.IsNull() && body.Attributes["force"] != nil &&
		!objchange.Equal(prior.GetAttr("force"), proposed.GetAttr("force")) {
		paths = append(paths, "force")
	}
	for _, r := range c.rules {
		paths = append(paths, r.Replace...)
	}
	for _, at := range paths {
		path, err := parsePath(at)
		if err != nil {
			return nil, s.wrongScript(err)
		}
		answer.RequiresReplace = append(answer.RequiresReplace, wire.PathToProto(path))
	}
	return answer, nil
}

// ApplyResourceChange does what was planned.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	body := block(s.response.ResourceSchemas, req.TypeName)
	values, err := s.asked(req.TypeName, body, map[string]*tfplugin.DynamicValue{
		"prior": req.PriorState, "config": req.Config, "planned": req.PlannedState,
	})
	if err != nil {
		return nil, err
	}
	prior, planned, identity := values["prior"], values["planned"], s.identity(req.TypeName, req.PlannedIdentity)
	name := nameOf(values["config"], planned, prior)
	c, err := s.begin("apply", req.TypeName, name, actOf(prior, planned), values,
		privateNote(req.PlannedPrivate), valueNote("identity", identity))
	if err != nil {
		return nil, err
	}
	out, object, err := c.state(filled(planned, name), body.ImpliedType())
	if err != nil {
		return nil, err
	}
	if identity == cty.NilVal || !identity.IsWhollyKnown() {
		identity = s.identityOf(req.TypeName, object)
	}
	data, err := c.identity(req.TypeName, identity)
	private := req.PlannedPrivate
	if planned.IsNull() {
		private = nil
	}
	return &tfplugin.ApplyResourceChangeResponse{
		NewState: out, Private: c.private(private), NewIdentity: data,
		Diagnostics: c.diagnostics(), UnsafeToUseLegacyTypeSystem: c.legacy(), //nolint:staticcheck // scripts play old providers
	}, err
}

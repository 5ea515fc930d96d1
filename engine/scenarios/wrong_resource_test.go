package scenarios_test

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// decodeAll decodes the values of a request by the type's schema.
func (s *Server) decodeAll(typeName string, body *configschema.Block, in map[string]*tfplugin.DynamicValue) (map[string]cty.Value, error) {
	if body == nil {
		return nil, fmt.Errorf("unknown type %s", typeName)
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

// identity returns the identity of a request, or cty.NilVal if it is missing or invalid.
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

// identityOf returns the correct identity of an object, or cty.NilVal if the object is null
// or its type has no identity.
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

// nameOf returns the name of the first object that has a name, or "".
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

// ValidateResourceConfig returns no diagnostics by default.
func (s *Server) ValidateResourceConfig(_ context.Context, req *tfplugin.ValidateResourceConfigRequest) (*tfplugin.ValidateResourceConfigResponse, error) {
	values, err := s.decodeAll(req.TypeName, bodyOf(s.response.ResourceSchemas, req.TypeName), map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	c, err := s.begin("validate", req.TypeName, nameOf(values["config"]), "", values)
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateResourceConfigResponse{Diagnostics: c.diagnostics()}, nil
}

// UpgradeResourceState keeps the attributes that the schema has. It returns null for a state that
// it cannot decode, such as a flatmap.
func (s *Server) UpgradeResourceState(_ context.Context, req *tfplugin.UpgradeResourceStateRequest) (*tfplugin.UpgradeResourceStateResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TypeName)
	if body == nil {
		return nil, fmt.Errorf("unknown type %s", req.TypeName)
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

// UpgradeResourceIdentity keeps the attributes that the schema has.
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

// ReadResource returns the object with its unset computed attributes filled in, as after
// an import.
func (s *Server) ReadResource(_ context.Context, req *tfplugin.ReadResourceRequest) (*tfplugin.ReadResourceResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TypeName)
	values, err := s.decodeAll(req.TypeName, body, map[string]*tfplugin.DynamicValue{"current": req.CurrentState})
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

// PlanResourceChange plans the proposed object. A change of the attribute force requires
// replacement.
func (s *Server) PlanResourceChange(_ context.Context, req *tfplugin.PlanResourceChangeRequest) (*tfplugin.PlanResourceChangeResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TypeName)
	values, err := s.decodeAll(req.TypeName, body, map[string]*tfplugin.DynamicValue{
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
		UnsafeToUseLegacyTypeSystem: c.legacy(), //nolint:staticcheck // scripts simulate old providers
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

// ApplyResourceChange returns the planned object with its unknown values filled in.
func (s *Server) ApplyResourceChange(_ context.Context, req *tfplugin.ApplyResourceChangeRequest) (*tfplugin.ApplyResourceChangeResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TypeName)
	values, err := s.decodeAll(req.TypeName, body, map[string]*tfplugin.DynamicValue{
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
		Diagnostics: c.diagnostics(), UnsafeToUseLegacyTypeSystem: c.legacy(), //nolint:staticcheck // scripts simulate old providers
	}, err
}

// ImportResourceState returns one object whose id and name are the import ID, or the id in
// the identity.
func (s *Server) ImportResourceState(_ context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TypeName)
	if body == nil {
		return nil, fmt.Errorf("unknown type %s", req.TypeName)
	}
	identity := s.identity(req.TypeName, req.Identity)
	id := req.ID
	if id == "" {
		id = text(identity, "id")
	}
	values := map[string]cty.Value{"id": cty.StringVal(id)}
	c, err := s.begin("import", req.TypeName, id, "", values, valueNote("identity", identity))
	if err != nil {
		return nil, err
	}
	answer := &tfplugin.ImportResourceStateResponse{Deferred: c.deferred(), Diagnostics: c.diagnostics()}
	found := []cty.Value{cty.EmptyObjectVal}
	for _, r := range c.rules {
		v, ok, err := evaluated(r.Objects, scope(values))
		switch {
		case err != nil:
			return nil, s.wrongScript(err)
		case ok:
			found = v.AsValueSlice()
		}
	}
	for _, as := range found {
		imported, err := s.imported(c, req.TypeName, id, identity, as)
		if err != nil {
			return nil, err
		}
		answer.ImportedResources = append(answer.ImportedResources, imported)
	}
	return answer, nil
}

// imported returns one imported object as scripted.
func (s *Server) imported(c *call, typeName, id string, identity, as cty.Value) (*tfplugin.ImportedResource, error) {
	attrs := as.AsValueMap()
	out := &tfplugin.ImportedResource{TypeName: typeName, Private: c.private(nil)}
	if v, ok := attrs["type"]; ok {
		out.TypeName = v.AsString()
	}
	body := bodyOf(s.response.ResourceSchemas, typeName)
	if named := bodyOf(s.response.ResourceSchemas, out.TypeName); named != nil {
		body = named
	}
	ty := body.ImpliedType()
	object := shaped(cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "name": cty.StringVal(id)}), ty)
	if v, ok := attrs["state"]; ok {
		object = shaped(v, ty)
	}
	if v, ok := attrs["private"]; ok {
		out.Private = []byte(v.AsString())
	}
	var err error
	if out.State, object, err = c.state(object, ty); err != nil {
		return nil, err
	}
	if identity == cty.NilVal {
		identity = s.identityOf(typeName, object)
	}
	out.Identity, err = c.identity(typeName, identity)
	return out, err
}

// MoveResourceState keeps the attributes that the target's schema has.
func (s *Server) MoveResourceState(_ context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	body := bodyOf(s.response.ResourceSchemas, req.TargetTypeName)
	if body == nil {
		return nil, fmt.Errorf("unknown type %s", req.TargetTypeName)
	}
	var stored []byte
	if req.SourceState != nil {
		stored = req.SourceState.JSON
	}
	source, err := fromJSON(stored, body.ImpliedType())
	if err != nil {
		return nil, s.wrongScript(err)
	}
	c, err := s.begin("move", req.TargetTypeName, nameOf(source), "", map[string]cty.Value{"stored": source},
		"from "+req.SourceTypeName, versionNote(req.SourceSchemaVersion), privateNote(req.SourcePrivate))
	if err != nil {
		return nil, err
	}
	out, target, err := c.state(source, body.ImpliedType())
	if err != nil {
		return nil, err
	}
	data, err := c.identity(req.TargetTypeName, s.identityOf(req.TargetTypeName, target))
	return &tfplugin.MoveResourceStateResponse{
		TargetState: out, TargetPrivate: c.private(req.SourcePrivate), TargetIdentity: data, Diagnostics: c.diagnostics(),
	}, err
}

// GenerateResourceConfig is not supported.
func (s *Server) GenerateResourceConfig(context.Context, *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return nil, fmt.Errorf("generating configuration is not supported")
}

package wrong

import (
	"context"
	"fmt"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// ImportResourceState finds one object that is named as its id, or as the
// identity's.
func (s *Server) ImportResourceState(_ context.Context, req *tfplugin.ImportResourceStateRequest) (*tfplugin.ImportResourceStateResponse, error) {
	body := block(s.response.ResourceSchemas, req.TypeName)
	if body == nil {
		return nil, fmt.Errorf("there is no type %s", req.TypeName)
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

// imported is one object that an import finds, as is said of it.
func (s *Server) imported(c *call, typeName, id string, identity, as cty.Value) (*tfplugin.ImportedResource, error) {
	said := as.AsValueMap()
	out := &tfplugin.ImportedResource{TypeName: typeName, Private: c.private(nil)}
	if v, ok := said["type"]; ok {
		out.TypeName = v.AsString()
	}
	body := block(s.response.ResourceSchemas, typeName)
	if named := block(s.response.ResourceSchemas, out.TypeName); named != nil {
		body = named
	}
	ty := body.ImpliedType()
	object := shaped(cty.ObjectVal(map[string]cty.Value{"id": cty.StringVal(id), "name": cty.StringVal(id)}), ty)
	if v, ok := said["state"]; ok {
		object = shaped(v, ty)
	}
	if v, ok := said["private"]; ok {
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

// MoveResourceState keeps what the target's schema has as well.
func (s *Server) MoveResourceState(_ context.Context, req *tfplugin.MoveResourceStateRequest) (*tfplugin.MoveResourceStateResponse, error) {
	body := block(s.response.ResourceSchemas, req.TargetTypeName)
	if body == nil {
		return nil, fmt.Errorf("there is no type %s", req.TargetTypeName)
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

// GenerateResourceConfig is not offered.
func (s *Server) GenerateResourceConfig(context.Context, *tfplugin.GenerateResourceConfigRequest) (*tfplugin.GenerateResourceConfigResponse, error) {
	return nil, fmt.Errorf("configuration is not generated")
}

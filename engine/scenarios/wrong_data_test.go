package scenarios_test

import (
	"context"
	"fmt"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// ValidateDataResourceConfig returns no diagnostics by default.
func (s *Server) ValidateDataResourceConfig(_ context.Context, req *tfplugin.ValidateDataResourceConfigRequest) (*tfplugin.ValidateDataResourceConfigResponse, error) {
	values, err := s.decodeAll(req.TypeName, bodyOf(s.response.DataSourceSchemas, req.TypeName), map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	c, err := s.begin("validate_data", req.TypeName, nameOf(values["config"]), "", values)
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateDataResourceConfigResponse{Diagnostics: c.diagnostics()}, nil
}

// ReadDataSource returns the configured object with its computed attributes.
func (s *Server) ReadDataSource(_ context.Context, req *tfplugin.ReadDataSourceRequest) (*tfplugin.ReadDataSourceResponse, error) {
	body := bodyOf(s.response.DataSourceSchemas, req.TypeName)
	values, err := s.decodeAll(req.TypeName, body, map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	name := nameOf(values["config"])
	c, err := s.begin("data", req.TypeName, name, "", values)
	if err != nil {
		return nil, err
	}
	out, _, err := c.state(filled(withComputed(body, values["config"]), name), body.ImpliedType())
	return &tfplugin.ReadDataSourceResponse{State: out, Deferred: c.deferred(), Diagnostics: c.diagnostics()}, err
}

// ValidateEphemeralResourceConfig returns no diagnostics by default.
func (s *Server) ValidateEphemeralResourceConfig(_ context.Context, req *tfplugin.ValidateEphemeralResourceConfigRequest) (*tfplugin.ValidateEphemeralResourceConfigResponse, error) {
	values, err := s.decodeAll(req.TypeName, bodyOf(s.response.EphemeralResourceSchemas, req.TypeName), map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	c, err := s.begin("validate_ephemeral", req.TypeName, nameOf(values["config"]), "", values)
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateEphemeralResourceConfigResponse{Diagnostics: c.diagnostics()}, nil
}

// OpenEphemeralResource returns the configured object with its computed attributes, and
// its name as private data.
func (s *Server) OpenEphemeralResource(_ context.Context, req *tfplugin.OpenEphemeralResourceRequest) (*tfplugin.OpenEphemeralResourceResponse, error) {
	body := bodyOf(s.response.EphemeralResourceSchemas, req.TypeName)
	values, err := s.decodeAll(req.TypeName, body, map[string]*tfplugin.DynamicValue{"config": req.Config})
	if err != nil {
		return nil, err
	}
	name := nameOf(values["config"])
	c, err := s.begin("open", req.TypeName, name, "", values)
	if err != nil {
		return nil, err
	}
	out, _, err := c.state(filled(withComputed(body, values["config"]), name), body.ImpliedType())
	return &tfplugin.OpenEphemeralResourceResponse{
		Result: out, Private: c.private([]byte(name)), RenewAt: c.renewAt(), Deferred: c.deferred(), Diagnostics: c.diagnostics(),
	}, err
}

// RenewEphemeralResource keeps the private data and requests no further renewal by default.
func (s *Server) RenewEphemeralResource(_ context.Context, req *tfplugin.RenewEphemeralResourceRequest) (*tfplugin.RenewEphemeralResourceResponse, error) {
	c, err := s.begin("renew", req.TypeName, "", "", nil, privateNote(req.Private))
	if err != nil {
		return nil, err
	}
	return &tfplugin.RenewEphemeralResourceResponse{
		Private: c.private(req.Private), RenewAt: c.renewAt(), Diagnostics: c.diagnostics(),
	}, nil
}

// CloseEphemeralResource returns no diagnostics by default.
func (s *Server) CloseEphemeralResource(_ context.Context, req *tfplugin.CloseEphemeralResourceRequest) (*tfplugin.CloseEphemeralResourceResponse, error) {
	c, err := s.begin("close", req.TypeName, "", "", nil, privateNote(req.Private))
	if err != nil {
		return nil, err
	}
	return &tfplugin.CloseEphemeralResourceResponse{Diagnostics: c.diagnostics()}, nil
}

// GetFunctions returns the functions of the schema.
func (s *Server) GetFunctions(context.Context, *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	return &tfplugin.GetFunctionsResponse{Functions: s.response.Functions}, nil
}

// CallFunction returns its only argument, or its string arguments joined with "-".
func (s *Server) CallFunction(_ context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	decl := s.response.Functions[req.Name]
	if decl == nil {
		return nil, fmt.Errorf("unknown function %s", req.Name)
	}
	ret, err := wire.TypeFromProto(decl.Return.Type)
	if err != nil {
		return nil, s.wrongScript(err)
	}
	var arguments []cty.Value
	for i, a := range req.Arguments {
		parameter := decl.VariadicParameter
		if i < len(decl.Parameters) {
			parameter = decl.Parameters[i]
		}
		ty, err := wire.TypeFromProto(parameter.Type)
		if err != nil {
			return nil, s.wrongScript(err)
		}
		v, err := decoded(a, ty)
		if err != nil {
			return nil, s.wrongScript(err)
		}
		arguments = append(arguments, v)
	}
	result := shaped(together(arguments), ret)
	values := map[string]cty.Value{"arguments": cty.TupleVal(arguments)}
	c, err := s.begin("function", req.Name, "", "", values, valueNote("arguments", values["arguments"]))
	if err != nil {
		return nil, err
	}
	answer := &tfplugin.CallFunctionResponse{}
	for _, r := range c.rules {
		if r.Error != "" {
			answer.Error = &tfplugin.FunctionError{Text: r.Error, FunctionArgument: r.Argument}
			return answer, nil
		}
		v, ok, err := evaluated(r.Result, scope(values))
		switch {
		case err != nil:
			return nil, s.wrongScript(err)
		case ok:
			result = shaped(v, ret)
		}
		if r.Absent {
			return answer, nil
		}
	}
	b, err := msgpack.Marshal(result, loose(result, ret))
	answer.Result = &tfplugin.DynamicValue{MsgPack: b}
	return answer, err
}

func together(arguments []cty.Value) cty.Value {
	if len(arguments) == 1 {
		return arguments[0]
	}
	var words []string
	for _, a := range arguments {
		if a.IsKnown() && !a.IsNull() && a.Type() == cty.String {
			words = append(words, a.AsString())
		}
	}
	return cty.StringVal(strings.Join(words, "-"))
}

package server

import (
	"context"
	"errors"
	"maps"
	"slices"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// GetFunctions implements tfplugin.FunctionServer.
func (s *server) GetFunctions(ctx context.Context, _ *tfplugin.GetFunctionsRequest) (*tfplugin.GetFunctionsResponse, error) {
	resp := &tfplugin.GetFunctionsResponse{}
	resp.Diagnostics = s.describe(ctx, "GetFunctions", func(c *call.Call) diag.Diagnostics {
		resp.Functions = encodeFunctions(c, s.schemas.Response.Functions)
		return s.schemas.Response.Diagnostics
	})
	return resp, nil
}

// CallFunction implements tfplugin.FunctionServer. Its response has a single
// error instead of diagnostics.
func (s *server) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (*tfplugin.CallFunctionResponse, error) {
	resp := &tfplugin.CallFunctionResponse{}
	c := s.call(ctx, "CallFunction")
	var f *call.Function
	var badArgument *int64
	diags := start(c, s.p.CallFunction, func() (in provider.CallFunctionRequest) {
		if f = c.Function(req.Name); f == nil {
			return in
		}
		f.CheckArgumentCount(c, len(req.Arguments))
		in = provider.CallFunctionRequest{FunctionName: req.Name, Arguments: make([]cty.Value, len(req.Arguments))}
		for i, dv := range req.Arguments {
			if c.Failed() {
				break
			}
			in.Arguments[i] = c.DecodeWith(f.Argument(i), dv, "argument")
			if c.Failed() {
				badArgument = new(int64(i))
			}
		}
		return in
	}, func(got provider.CallFunctionResponse) diag.Diagnostics {
		if resp.Error = encodeFunctionError(got.Err); resp.Error == nil {
			resp.Result = c.EncodeWith(f.Result(), got.Result, "result")
		}
		return nil
	})
	if diags.HasErrors() {
		resp.Error = &tfplugin.FunctionError{Text: diag.Printable(diags.Error()), FunctionArgument: badArgument}
	}
	return resp, nil
}

func encodeFunctionError(err error) *tfplugin.FunctionError {
	if err == nil {
		return nil
	}
	out := &tfplugin.FunctionError{Text: diag.Printable(err.Error())}
	if argument, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		out.FunctionArgument = new(int64(argument.Index))
	}
	return out
}

func encodeFunctions(c *call.Call, decls map[string]provider.FunctionDecl) map[string]*tfplugin.Function {
	out := make(map[string]*tfplugin.Function, len(decls))
	for _, name := range slices.Sorted(maps.Keys(decls)) {
		f, err := encodeFunction(decls[name])
		if err != nil {
			invalidSchema(c, "function", name, err)
			continue
		}
		out[name] = f
	}
	return out
}

func encodeFunction(decl provider.FunctionDecl) (*tfplugin.Function, error) {
	result, err := wire.TypeToProto(decl.ReturnType)
	if err != nil {
		return nil, err
	}
	f := &tfplugin.Function{
		Return:             &tfplugin.FunctionReturn{Type: result},
		Summary:            decl.Summary,
		Description:        decl.Description,
		DescriptionKind:    wire.StringKindToProto(decl.DescriptionKind),
		DeprecationMessage: decl.DeprecationMessage,
	}
	for _, param := range decl.Parameters {
		p, err := encodeParameter(param)
		if err != nil {
			return nil, err
		}
		f.Parameters = append(f.Parameters, p)
	}
	if decl.VariadicParameter != nil {
		if f.VariadicParameter, err = encodeParameter(*decl.VariadicParameter); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func encodeParameter(param provider.FunctionParam) (*tfplugin.FunctionParameter, error) {
	ty, err := wire.TypeToProto(param.Type)
	if err != nil {
		return nil, err
	}
	return &tfplugin.FunctionParameter{
		Name:               param.Name,
		Type:               ty,
		AllowNullValue:     param.AllowNullValue,
		AllowUnknownValues: param.AllowUnknownValues,
		Description:        param.Description,
		DescriptionKind:    wire.StringKindToProto(param.DescriptionKind),
	}, nil
}

package tfprotov6

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
)

// GetFunctions is part of tfplugin.FunctionServer.
func (s *server) GetFunctions(ctx context.Context, _ *tfplugin.GetFunctionsRequest) (resp *tfplugin.GetFunctionsResponse, _ error) {
	resp = &tfplugin.GetFunctionsResponse{}
	c := call{ctx: ctx, rpc: "GetFunctions"}
	defer c.end(&resp.Diagnostics)
	c.add(s.schemas.response.Diagnostics)
	resp.Functions = c.functions(s.schemas.response.Functions)
	return resp, nil
}

func (c *call) functions(decls map[string]provider.FunctionDecl) map[string]*tfplugin.Function {
	out := make(map[string]*tfplugin.Function, len(decls))
	for _, name := range slices.Sorted(maps.Keys(decls)) {
		f, err := functionToProto(decls[name])
		if err != nil {
			c.unlawful("function", name, err)
			continue
		}
		out[name] = f
	}
	return out
}

// CallFunction is part of tfplugin.FunctionServer. Its answer has no
// diagnostics but one error, perhaps of one argument.
func (s *server) CallFunction(ctx context.Context, req *tfplugin.CallFunctionRequest) (resp *tfplugin.CallFunctionResponse, _ error) {
	resp = &tfplugin.CallFunctionResponse{}
	c := call{ctx: ctx, rpc: "CallFunction"}
	defer func() {
		if r := recover(); r != nil {
			c.panicked(r)
		}
		if c.failed() && resp.Error == nil {
			resp.Error = &tfplugin.FunctionError{Text: c.diags.Error()}
		}
	}()
	f := s.schemas.functions[req.Name]
	if f == nil {
		c.add(s.schemas.errors())
		c.errorf(nil, "Unknown function", "This provider has no function %q.", req.Name)
		return resp, nil
	}
	c.typ = f.title
	args, bad := c.arguments(f, req.Arguments)
	if c.failed() {
		resp.Error = &tfplugin.FunctionError{Text: c.diags.Error(), FunctionArgument: bad}
		return resp, nil
	}
	got := s.p.CallFunction(ctx, provider.CallFunctionRequest{FunctionName: req.Name, Arguments: args})
	if got.Err != nil {
		resp.Error = functionErrorToProto(got.Err)
		return resp, nil
	}
	resp.Result = c.encode(f.result.get(), got.Result, "result")
	return resp, nil
}

// arguments decodes the arguments of a call; where one of them cannot be, bad
// is its index. An empty value, which is how OpenTofu sends null, is null.
func (c *call) arguments(f *function, in []*tfplugin.DynamicValue) (args []cty.Value, bad *int64) {
	if len(in) < len(f.parameters) || len(in) > len(f.parameters) && f.variadic == nil {
		c.errorf(nil, "Wrong number of arguments", "%s takes %s and got %d.", c.of(), diag.Count(len(f.parameters), "argument"), len(in))
		return nil, nil
	}
	args = make([]cty.Value, len(in))
	for i, dv := range in {
		args[i] = c.decode(f.parameter(i).get(), dv, "argument")
		if c.failed() {
			index := int64(i)
			return nil, &index
		}
	}
	return args, nil
}

func functionErrorToProto(err error) *tfplugin.FunctionError {
	out := &tfplugin.FunctionError{Text: err.Error()}
	if argument, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
		index := int64(argument.Index)
		out.FunctionArgument = &index
	}
	return out
}

func functionErrorFromProto(in *tfplugin.FunctionError) error {
	if in == nil {
		return nil
	}
	err := errors.New(in.Text)
	if in.FunctionArgument == nil {
		return err
	}
	return &provider.FunctionArgumentError{Index: int(*in.FunctionArgument), Err: err}
}

func functionToProto(decl provider.FunctionDecl) (*tfplugin.Function, error) {
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
		p, err := parameterToProto(param)
		if err != nil {
			return nil, err
		}
		f.Parameters = append(f.Parameters, p)
	}
	if decl.VariadicParameter != nil {
		if f.VariadicParameter, err = parameterToProto(*decl.VariadicParameter); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func parameterToProto(param provider.FunctionParam) (*tfplugin.FunctionParameter, error) {
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

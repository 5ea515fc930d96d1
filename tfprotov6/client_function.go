package tfprotov6

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// CallFunction is part of provider.Interface.
func (cl *client) CallFunction(ctx context.Context, req provider.CallFunctionRequest) (resp provider.CallFunctionResponse) {
	c := call{ctx: ctx, rpc: "CallFunction", typ: "the function " + req.FunctionName}
	defer func() {
		if r := recover(); r != nil {
			c.panicked(r)
		}
		if resp.Err == nil {
			resp.Err = c.diags.Err()
		}
	}()
	f := cl.schemas.functions[req.FunctionName]
	if f == nil {
		c.add(cl.schemas.errors())
		c.errorf(nil, "Unknown function", "This provider has no function %q.", req.FunctionName)
		return resp
	}
	ask := &tfplugin.CallFunctionRequest{Name: req.FunctionName}
	for i, arg := range req.Arguments {
		parameter := f.parameter(i)
		if parameter == nil {
			c.errorf(nil, "Wrong number of arguments", "%s takes %s and got %d.", c.of(), diag.Count(len(f.parameters), "argument"), len(req.Arguments))
			return resp
		}
		dv := c.encode(parameter.get(), arg, "argument")
		if c.failed() {
			resp.Err = &provider.FunctionArgumentError{Index: i, Err: c.diags.Err()}
			return resp
		}
		ask.Arguments = append(ask.Arguments, dv)
	}
	got, err := cl.server.CallFunction(ctx, ask)
	if !c.answered(got != nil, err) {
		return resp
	}
	if got.Error != nil {
		resp.Err = functionErrorFromProto(got.Error)
		return resp
	}
	resp.Result = c.decode(f.result.get(), got.Result, "result")
	return resp
}

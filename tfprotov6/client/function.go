package client

import (
	"context"
	"errors"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// CallFunction implements provider.Interface.
func (cl *client) CallFunction(ctx context.Context, req provider.CallFunctionRequest) (resp provider.CallFunctionResponse) {
	c := cl.call(ctx, "CallFunction")
	var f *call.Function
	badArgument := -1
	diags := unary(c, cl.server.CallFunction, func() *tfplugin.CallFunctionRequest {
		if f = c.Function(req.FunctionName); f == nil {
			return nil
		}
		f.CheckArgumentCount(c, len(req.Arguments))
		in := &tfplugin.CallFunctionRequest{Name: req.FunctionName}
		for i, arg := range req.Arguments {
			if c.Failed() {
				break
			}
			in.Arguments = append(in.Arguments, c.EncodeWith(f.Argument(i), arg, "argument"))
			if c.Failed() {
				badArgument = i
			}
		}
		return in
	}, func(got *tfplugin.CallFunctionResponse) []*tfplugin.Diagnostic {
		if got.Error != nil {
			resp.Err = decodeFunctionError(got.Error)
			return nil
		}
		resp.Result = c.DecodeWith(f.Result(), got.Result, "result")
		return nil
	})
	switch {
	case badArgument >= 0:
		resp.Err = &provider.FunctionArgumentError{Index: badArgument, Err: diags.Err()}
	case resp.Err == nil:
		resp.Err = diags.Err()
	}
	return resp
}

func decodeFunctionError(in *tfplugin.FunctionError) error {
	err := errors.New(in.Text)
	if in.FunctionArgument == nil {
		return err
	}
	return &provider.FunctionArgumentError{Index: int(*in.FunctionArgument), Err: err}
}

package guard

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
)

// CallFunction is part of [provider.Interface]. Of functions only panics are
// judged.
func (g *guarded) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	resp, crash := ask(ctx, g, "CallFunction", "function "+req.FunctionName, g.inner.CallFunction, req)
	if crash != nil {
		return provider.CallFunctionResponse{Err: crash.Err()}
	}
	return resp
}

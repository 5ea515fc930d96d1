package guard

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

const (
	rpcValidateProvider = "ValidateProviderConfig"
	rpcConfigure        = "ConfigureProvider"
)

// ValidateProviderConfig is part of [provider.Interface].
func (g *guarded) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateProvider, "", g.inner.ValidateProviderConfig, req)
	if crash != nil {
		return provider.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: crash}
	}
	resp.Diagnostics = g.judgeMessages(ctx, rpcValidateProvider, resp.Diagnostics)
	return resp
}

// ConfigureProvider is part of [provider.Interface].
func (g *guarded) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	resp, crash := ask(ctx, g, rpcConfigure, "", g.inner.ConfigureProvider, req)
	if crash != nil {
		return provider.ConfigureProviderResponse{Diagnostics: crash}
	}
	resp.Diagnostics = g.judgeMessages(ctx, rpcConfigure, resp.Diagnostics)
	return resp
}

// judgeMessages judges messages about the provider's own configuration.
func (g *guarded) judgeMessages(ctx context.Context, rpc string, messages diag.Diagnostics) diag.Diagnostics {
	if len(messages) == 0 {
		return messages
	}
	body := g.load(ctx).schema.Provider.Body
	r := report{rpc: rpc, schema: body}
	ty := cty.DynamicPseudoType
	if body != nil {
		ty = body.ImpliedType()
	}
	for i := range messages {
		r.diagnostic(&messages[i], ty)
	}
	return r.addTo(messages)
}

// Stop is part of [provider.Interface].
func (g *guarded) Stop(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("stop provider: %w", g.panicked(ctx, panicCall, "Stop", "").Err())
		}
	}()
	return g.inner.Stop(ctx)
}

// Close is part of [provider.Interface].
func (g *guarded) Close() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("close provider: %w", g.panicked(context.Background(), panicCall, "Close", "").Err())
		}
	}()
	return g.inner.Close()
}

package guard

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// diagnosticRules are the rules for diagnostics of all calls. The response of their
// exchanges is a *diag.Diagnostic.
var diagnosticRules = []Rule{
	{
		ID: "DIAG-001", Subject: SubjectDiagnostic, Title: "is neither an error nor a warning",
		Why:    "Both engines show such a diagnostic and continue, even if it was meant to stop them.",
		Fix:    "Give the diagnostic the severity Error or Warning.",
		Source: "§1, neither engine: shown, never fatal",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); m.Severity != diag.Error && m.Severity != diag.Warning {
				x.add(nil, "The diagnostic has severity %d.", m.Severity)
			}
		},
	},
	{
		ID: "DIAG-002", Subject: SubjectDiagnostic, Title: "has no summary", Severity: diag.Warning,
		Why:    "The summary is the only part that is always shown.",
		Fix:    "Summarise the problem in one line.",
		Source: "neither engine",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); m.Summary == "" {
				x.add(nil, "The diagnostic has a detail of %s and no summary.", diag.Count(len(m.Detail), "byte"))
			}
		},
	},
	{
		ID: "DIAG-003", Subject: SubjectDiagnostic, Title: "is about an attribute that does not exist", Severity: diag.Warning,
		Why:    "Both engines fall back to the whole body and do not show the line that is wrong.",
		Fix:    "Correct the path; it is probably misspelt or has a step too many.",
		Source: "§1, neither engine: falls back to the whole body",
		check: func(x *exchange) {
			if m := x.response.(*diag.Diagnostic); !pathExists(x.diagnosticType(), m.Path) {
				shownPath, _ := showable(x.schema, m.Path)
				x.add(nil, "The diagnostic has the path %q.", diag.FormatPath(shownPath))
			}
		},
	},
}

// checkDiagnostics checks the provider's own diagnostics.
func (x *exchange) checkDiagnostics() {
	response := x.response
	for i := range x.diagnostics {
		x.response = &x.diagnostics[i]
		x.check(diagnosticRules)
	}
	x.response = response
}

// diagnosticType returns the type that the paths of diagnostics refer to, or
// cty.DynamicPseudoType if the schema is invalid.
func (x *exchange) diagnosticType() cty.Type {
	if len(x.t.schemaErrors) > 0 {
		return cty.DynamicPseudoType
	}
	return x.t.state.ty
}

// existingPart returns the longest prefix of path that exists in the type.
func existingPart(ty cty.Type, path cty.Path) cty.Path {
	for !pathExists(ty, path) {
		path = path[:len(path)-1]
	}
	return path
}

// pathExists reports whether values of the type can have a part at path.
func pathExists(ty cty.Type, path cty.Path) bool {
	for _, step := range path {
		if ty == cty.DynamicPseudoType {
			return true
		}
		attr, isAttr := step.(cty.GetAttrStep)
		switch {
		case ty.IsObjectType() && isAttr && ty.HasAttribute(attr.Name):
			ty = ty.AttributeType(attr.Name)
		case ty.IsListType() && !isAttr, ty.IsSetType() && !isAttr, ty.IsMapType():
			ty = ty.ElementType()
		case ty.IsTupleType() && !isAttr:
			return true
		default:
			return false
		}
	}
	return true
}

// diagnosticsOnly is a response that has only diagnostics. Only the rules for diagnostics
// apply to it.
type diagnosticsOnly = struct{ Diagnostics diag.Diagnostics }

// runValidation calls the provider and checks a response that has diagnostics only.
func runValidation[Req any, Resp ~struct{ Diagnostics diag.Diagnostics }](
	ctx context.Context, g *guarded, rpc string, f family, typeName string,
	invoke func(provider.Interface, context.Context, Req) Resp, req Req,
) Resp {
	resp, crash := callProvider(ctx, g, rpc, typeName, invoke, req)
	own := diagnosticsOnly(resp).Diagnostics
	return Resp(diagnosticsOnly{g.checkedDiagnostics(ctx, rpc, f, typeName, own, crash)})
}

// checkedDiagnostics returns the diagnostics of a response with those of the guard, or crash if
// the provider panicked.
func (g *guarded) checkedDiagnostics(ctx context.Context, rpc string, f family, typeName string, own, crash diag.Diagnostics) diag.Diagnostics {
	if crash != nil {
		return crash
	}
	t := g.load(ctx).types[f].of(typeName)
	if t == nil || len(own) == 0 && len(t.schemaErrors) == 0 {
		return own
	}
	x := newExchange(rpc, t)
	x.diagnostics = own
	crash = g.checking(ctx, rpc, t.name, x.checkDiagnostics)
	return with(with(x.addTo(own), t.schemaErrors), crash)
}

// ValidateProviderConfig implements [provider.Interface].
func (g *guarded) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	const rpc = "ValidateProviderConfig"
	resp, crash := callProvider(ctx, g, rpc, "", provider.Interface.ValidateProviderConfig, req)
	if crash != nil {
		resp.PreparedConfig = req.Config
	}
	resp.Diagnostics = g.checkedDiagnostics(ctx, rpc, ownConfig, "", resp.Diagnostics, crash)
	return resp
}

// ConfigureProvider implements [provider.Interface].
func (g *guarded) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	return runValidation(ctx, g, "ConfigureProvider", ownConfig, "", provider.Interface.ConfigureProvider, req)
}

// ValidateResourceConfig implements [provider.Interface].
func (g *guarded) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	return runValidation(ctx, g, "ValidateResourceConfig", managed, req.TypeName, provider.Interface.ValidateResourceConfig, req)
}

// ValidateDataResourceConfig implements [provider.Interface].
func (g *guarded) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	return runValidation(ctx, g, "ValidateDataResourceConfig", dataSources, req.TypeName, provider.Interface.ValidateDataResourceConfig, req)
}

// ValidateEphemeralResourceConfig implements [provider.Interface].
func (g *guarded) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	return runValidation(ctx, g, "ValidateEphemeralResourceConfig", ephemerals, req.TypeName, provider.Interface.ValidateEphemeralResourceConfig, req)
}

// CloseEphemeralResource implements [provider.Interface].
func (g *guarded) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	return runValidation(ctx, g, "CloseEphemeralResource", ephemerals, req.TypeName, provider.Interface.CloseEphemeralResource, req)
}

// ValidateListResourceConfig implements [provider.Interface].
func (g *guarded) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	return runValidation(ctx, g, "ValidateListResourceConfig", listTypes, req.TypeName, provider.Interface.ValidateListResourceConfig, req)
}

// ValidateActionConfig implements [provider.Interface].
func (g *guarded) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	return runValidation(ctx, g, "ValidateActionConfig", actions, req.ActionType, provider.Interface.ValidateActionConfig, req)
}

// ValidateStateStoreConfig implements [provider.Interface].
func (g *guarded) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	return runValidation(ctx, g, "ValidateStateStoreConfig", stateStores, req.TypeName, provider.Interface.ValidateStateStoreConfig, req)
}

// UnlockState implements [provider.Interface].
func (g *guarded) UnlockState(ctx context.Context, req provider.UnlockStateRequest) provider.UnlockStateResponse {
	return runValidation(ctx, g, "UnlockState", stateStores, req.TypeName, provider.Interface.UnlockState, req)
}

// DeleteState implements [provider.Interface].
func (g *guarded) DeleteState(ctx context.Context, req provider.DeleteStateRequest) provider.DeleteStateResponse {
	return runValidation(ctx, g, "DeleteState", stateStores, req.TypeName, provider.Interface.DeleteState, req)
}

// Stop implements [provider.Interface].
func (g *guarded) Stop(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("stop provider: %w", g.panicked(ctx, &panicInCall, "Stop", "").Err())
		}
	}()
	return g.inner.Stop(ctx)
}

// Close implements [provider.Interface].
func (g *guarded) Close() (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("close provider: %w", g.panicked(context.Background(), &panicInCall, "Close", "").Err())
		}
	}()
	return g.inner.Close()
}

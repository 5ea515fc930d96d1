package runtime

import (
	"context"
	"iter"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// logged is a server that logs the start and the end of each operation: type,
// operation, duration, and the numbers of errors and warnings. It logs no values,
// and no error texts, which may have values. [New] uses it only if logs are
// requested, so that they cost nothing otherwise.
type logged struct{ *server }

// logsRequested reports whether the environment requests logs. The logger of a context
// does not show this: by default it accepts everything.
func logsRequested(environ []string) bool {
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value != "" && !strings.EqualFold(value, "off") && (strings.HasPrefix(name, "TF_LOG") || name == "TF_ACC_LOG") {
			return true
		}
	}
	return false
}

// logging returns the server, with logs if they are requested.
func (s *server) logging() provider.Interface {
	if logsRequested(os.Environ()) {
		return logged{s}
	}
	return s
}

// begin logs the start of an operation and returns a function that logs its end.
func begin(ctx context.Context, typeName, operation string) (end func(diag.Diagnostics)) {
	tflog.Debug(ctx, "operation started", map[string]any{"type": typeName, "operation": operation})
	start := time.Now()
	return func(diags diag.Diagnostics) {
		outcome, errs := "ok", countErrors(diags)
		if errs > 0 {
			outcome = "error"
		}
		tflog.Debug(ctx, "operation ends", map[string]any{
			"type": typeName, "operation": operation, "outcome": outcome,
			"errors": errs, "warnings": len(diags) - errs,
			"duration": time.Since(start).Round(time.Microsecond).String(),
		})
	}
}

func countErrors(diags diag.Diagnostics) (n int) {
	for i := range diags {
		if diags[i].Severity == diag.Error {
			n++
		}
	}
	return n
}

// loggedStream returns a stream that ends its operation when it ends or its consumer
// stops.
func loggedStream[T any](stream iter.Seq[T], diags diag.Diagnostics, of func(T) diag.Diagnostics, end func(diag.Diagnostics)) iter.Seq[T] {
	if stream == nil {
		end(diags)
		return nil
	}
	return func(yield func(T) bool) {
		all := slices.Clip(diags)
		defer func() { end(all) }()
		for it := range stream {
			all = append(all, of(it)...)
			if !yield(it) {
				return
			}
		}
	}
}

// The RPCs that are logged: all except those for schemas and the end of the provider.

// ValidateProviderConfig implements [provider.Interface].
func (l logged) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	end := begin(ctx, "the provider", "ValidateProviderConfig")
	resp := l.server.ValidateProviderConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ConfigureProvider implements [provider.Interface].
func (l logged) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	end := begin(ctx, "the provider", "ConfigureProvider")
	resp := l.server.ConfigureProvider(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateResourceConfig implements [provider.Interface].
func (l logged) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	end := begin(ctx, req.TypeName, "ValidateResourceConfig")
	resp := l.server.ValidateResourceConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// UpgradeResourceState implements [provider.Interface].
func (l logged) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	end := begin(ctx, req.TypeName, "UpgradeResourceState")
	resp := l.server.UpgradeResourceState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// UpgradeResourceIdentity implements [provider.Interface].
func (l logged) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	end := begin(ctx, req.TypeName, "UpgradeResourceIdentity")
	resp := l.server.UpgradeResourceIdentity(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ReadResource implements [provider.Interface].
func (l logged) ReadResource(ctx context.Context, req provider.ReadResourceRequest) provider.ReadResourceResponse {
	end := begin(ctx, req.TypeName, "ReadResource")
	resp := l.server.ReadResource(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// PlanResourceChange implements [provider.Interface].
func (l logged) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	end := begin(ctx, req.TypeName, "PlanResourceChange")
	resp := l.server.PlanResourceChange(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ApplyResourceChange implements [provider.Interface].
func (l logged) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) provider.ApplyResourceChangeResponse {
	end := begin(ctx, req.TypeName, applyOperation(req))
	resp := l.server.ApplyResourceChange(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ImportResourceState implements [provider.Interface].
func (l logged) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) provider.ImportResourceStateResponse {
	end := begin(ctx, req.TypeName, "ImportResourceState")
	resp := l.server.ImportResourceState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// MoveResourceState implements [provider.Interface].
func (l logged) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) provider.MoveResourceStateResponse {
	end := begin(ctx, req.TargetTypeName, "MoveResourceState")
	resp := l.server.MoveResourceState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// GenerateResourceConfig implements [provider.Interface].
func (l logged) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) provider.GenerateResourceConfigResponse {
	end := begin(ctx, req.TypeName, "GenerateResourceConfig")
	resp := l.server.GenerateResourceConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateDataResourceConfig implements [provider.Interface].
func (l logged) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	end := begin(ctx, req.TypeName, "ValidateDataResourceConfig")
	resp := l.server.ValidateDataResourceConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ReadDataSource implements [provider.Interface].
func (l logged) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) provider.ReadDataSourceResponse {
	end := begin(ctx, req.TypeName, "ReadDataSource")
	resp := l.server.ReadDataSource(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateEphemeralResourceConfig implements [provider.Interface].
func (l logged) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) provider.ValidateEphemeralResourceConfigResponse {
	end := begin(ctx, req.TypeName, "ValidateEphemeralResourceConfig")
	resp := l.server.ValidateEphemeralResourceConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// OpenEphemeralResource implements [provider.Interface].
func (l logged) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) provider.OpenEphemeralResourceResponse {
	end := begin(ctx, req.TypeName, "OpenEphemeralResource")
	resp := l.server.OpenEphemeralResource(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// RenewEphemeralResource implements [provider.Interface].
func (l logged) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) provider.RenewEphemeralResourceResponse {
	end := begin(ctx, req.TypeName, "RenewEphemeralResource")
	resp := l.server.RenewEphemeralResource(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// CloseEphemeralResource implements [provider.Interface].
func (l logged) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	end := begin(ctx, req.TypeName, "CloseEphemeralResource")
	resp := l.server.CloseEphemeralResource(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateListResourceConfig implements [provider.Interface].
func (l logged) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) provider.ValidateListResourceConfigResponse {
	end := begin(ctx, req.TypeName, "ValidateListResourceConfig")
	resp := l.server.ValidateListResourceConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateActionConfig implements [provider.Interface].
func (l logged) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) provider.ValidateActionConfigResponse {
	end := begin(ctx, req.ActionType, "ValidateActionConfig")
	resp := l.server.ValidateActionConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// PlanAction implements [provider.Interface].
func (l logged) PlanAction(ctx context.Context, req provider.PlanActionRequest) provider.PlanActionResponse {
	end := begin(ctx, req.ActionType, "PlanAction")
	resp := l.server.PlanAction(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ValidateStateStoreConfig implements [provider.Interface].
func (l logged) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) provider.ValidateStateStoreConfigResponse {
	end := begin(ctx, req.TypeName, "ValidateStateStoreConfig")
	resp := l.server.ValidateStateStoreConfig(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// ConfigureStateStore implements [provider.Interface].
func (l logged) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) provider.ConfigureStateStoreResponse {
	end := begin(ctx, req.TypeName, "ConfigureStateStore")
	resp := l.server.ConfigureStateStore(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// WriteStateBytes implements [provider.Interface].
func (l logged) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	end := begin(ctx, req.TypeName, "WriteStateBytes")
	resp := l.server.WriteStateBytes(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// LockState implements [provider.Interface].
func (l logged) LockState(ctx context.Context, req provider.LockStateRequest) provider.LockStateResponse {
	end := begin(ctx, req.TypeName, "LockState")
	resp := l.server.LockState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// UnlockState implements [provider.Interface].
func (l logged) UnlockState(ctx context.Context, req provider.UnlockStateRequest) provider.UnlockStateResponse {
	end := begin(ctx, req.TypeName, "UnlockState")
	resp := l.server.UnlockState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// GetStates implements [provider.Interface].
func (l logged) GetStates(ctx context.Context, req provider.GetStatesRequest) provider.GetStatesResponse {
	end := begin(ctx, req.TypeName, "GetStates")
	resp := l.server.GetStates(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// DeleteState implements [provider.Interface].
func (l logged) DeleteState(ctx context.Context, req provider.DeleteStateRequest) provider.DeleteStateResponse {
	end := begin(ctx, req.TypeName, "DeleteState")
	resp := l.server.DeleteState(ctx, req)
	end(resp.Diagnostics)
	return resp
}

// CallFunction implements [provider.Interface]. Functions have an error instead of
// diagnostics.
func (l logged) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	end := begin(ctx, req.FunctionName, "CallFunction")
	resp := l.server.CallFunction(ctx, req)
	end(diag.FromError("", resp.Err))
	return resp
}

// ListResource implements [provider.Interface].
func (l logged) ListResource(ctx context.Context, req provider.ListResourceRequest) provider.ListResourceResponse {
	end := begin(ctx, req.TypeName, "ListResource")
	resp := l.server.ListResource(ctx, req)
	resp.Results = loggedStream(resp.Results, resp.Diagnostics, func(r provider.ListResult) diag.Diagnostics { return r.Diagnostics }, end)
	return resp
}

// InvokeAction implements [provider.Interface].
func (l logged) InvokeAction(ctx context.Context, req provider.InvokeActionRequest) provider.InvokeActionResponse {
	end := begin(ctx, req.ActionType, "InvokeAction")
	resp := l.server.InvokeAction(ctx, req)
	resp.Events = loggedStream(resp.Events, resp.Diagnostics, func(e provider.ActionEvent) diag.Diagnostics {
		completed, _ := e.(provider.ActionCompleted)
		return completed.Diagnostics
	}, end)
	return resp
}

// ReadStateBytes implements [provider.Interface].
func (l logged) ReadStateBytes(ctx context.Context, req provider.ReadStateBytesRequest) provider.ReadStateBytesResponse {
	end := begin(ctx, req.TypeName, "ReadStateBytes")
	resp := l.server.ReadStateBytes(ctx, req)
	resp.Chunks = loggedStream(resp.Chunks, resp.Diagnostics, func(c provider.StateChunk) diag.Diagnostics { return c.Diagnostics }, end)
	return resp
}

// applyOperation returns the operation of an apply.
func applyOperation(req provider.ApplyResourceChangeRequest) string {
	switch {
	case !usable(req.PlannedState):
		return "Delete"
	case !usable(req.PriorState):
		return "Create"
	default:
		return "Update"
	}
}

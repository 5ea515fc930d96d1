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

// logged is a server that logs the start and the end of each operation, with the names of the
// type and the operation. The line for the end also has the outcome, the duration, and the numbers
// of errors and warnings. The server logs no values, and no error texts, which may contain values. [New]
// uses it only if logs are requested, so that they cost nothing otherwise.
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
func begin(ctx context.Context, typeName, operation string) (end func(*diag.Diagnostics)) {
	tflog.Debug(ctx, "operation started", map[string]any{"type": typeName, "operation": operation})
	start := time.Now()
	return func(diags *diag.Diagnostics) {
		outcome, errs := "ok", countErrors(*diags)
		switch {
		case diag.PanicSite() != "":
			outcome = "panic"
		case errs > 0:
			outcome = "error"
		}
		tflog.Debug(ctx, "operation ends", map[string]any{
			"type": typeName, "operation": operation, "outcome": outcome,
			"errors": errs, "warnings": len(*diags) - errs,
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

// loggedStream returns a stream that calls end when it ends or its consumer stops. For a nil
// stream it calls end at once and returns nil.
func loggedStream[T any](stream iter.Seq[T], diags diag.Diagnostics, of func(T) diag.Diagnostics, end func(*diag.Diagnostics)) iter.Seq[T] {
	if stream == nil {
		end(&diags)
		return nil
	}
	return func(yield func(T) bool) {
		all := slices.Clip(diags)
		defer end(&all)
		for it := range stream {
			all = append(all, of(it)...)
			if !yield(it) {
				return
			}
		}
	}
}

// The RPCs that are logged: all except those for schemas, Stop and Close.

// ValidateProviderConfig implements [provider.Interface].
func (l logged) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	defer begin(ctx, "the provider", "ValidateProviderConfig")(&resp.Diagnostics)
	return l.server.ValidateProviderConfig(ctx, req)
}

// ConfigureProvider implements [provider.Interface].
func (l logged) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) (resp provider.ConfigureProviderResponse) {
	defer begin(ctx, "the provider", "ConfigureProvider")(&resp.Diagnostics)
	return l.server.ConfigureProvider(ctx, req)
}

// ValidateResourceConfig implements [provider.Interface].
func (l logged) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) (resp provider.ValidateResourceConfigResponse) {
	defer begin(ctx, req.TypeName, "ValidateResourceConfig")(&resp.Diagnostics)
	return l.server.ValidateResourceConfig(ctx, req)
}

// UpgradeResourceState implements [provider.Interface].
func (l logged) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	defer begin(ctx, req.TypeName, "UpgradeResourceState")(&resp.Diagnostics)
	return l.server.UpgradeResourceState(ctx, req)
}

// UpgradeResourceIdentity implements [provider.Interface].
func (l logged) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) (resp provider.UpgradeResourceIdentityResponse) {
	defer begin(ctx, req.TypeName, "UpgradeResourceIdentity")(&resp.Diagnostics)
	return l.server.UpgradeResourceIdentity(ctx, req)
}

// ReadResource implements [provider.Interface].
func (l logged) ReadResource(ctx context.Context, req provider.ReadResourceRequest) (resp provider.ReadResourceResponse) {
	defer begin(ctx, req.TypeName, "ReadResource")(&resp.Diagnostics)
	return l.server.ReadResource(ctx, req)
}

// PlanResourceChange implements [provider.Interface].
func (l logged) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) (resp provider.PlanResourceChangeResponse) {
	defer begin(ctx, req.TypeName, "PlanResourceChange")(&resp.Diagnostics)
	return l.server.PlanResourceChange(ctx, req)
}

// ApplyResourceChange implements [provider.Interface].
func (l logged) ApplyResourceChange(ctx context.Context, req provider.ApplyResourceChangeRequest) (resp provider.ApplyResourceChangeResponse) {
	defer begin(ctx, req.TypeName, applyOperation(req))(&resp.Diagnostics)
	return l.server.ApplyResourceChange(ctx, req)
}

// ImportResourceState implements [provider.Interface].
func (l logged) ImportResourceState(ctx context.Context, req provider.ImportResourceStateRequest) (resp provider.ImportResourceStateResponse) {
	defer begin(ctx, req.TypeName, "ImportResourceState")(&resp.Diagnostics)
	return l.server.ImportResourceState(ctx, req)
}

// MoveResourceState implements [provider.Interface].
func (l logged) MoveResourceState(ctx context.Context, req provider.MoveResourceStateRequest) (resp provider.MoveResourceStateResponse) {
	defer begin(ctx, req.TargetTypeName, "MoveResourceState")(&resp.Diagnostics)
	return l.server.MoveResourceState(ctx, req)
}

// GenerateResourceConfig implements [provider.Interface].
func (l logged) GenerateResourceConfig(ctx context.Context, req provider.GenerateResourceConfigRequest) (resp provider.GenerateResourceConfigResponse) {
	defer begin(ctx, req.TypeName, "GenerateResourceConfig")(&resp.Diagnostics)
	return l.server.GenerateResourceConfig(ctx, req)
}

// ValidateDataResourceConfig implements [provider.Interface].
func (l logged) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) (resp provider.ValidateDataResourceConfigResponse) {
	defer begin(ctx, req.TypeName, "ValidateDataResourceConfig")(&resp.Diagnostics)
	return l.server.ValidateDataResourceConfig(ctx, req)
}

// ReadDataSource implements [provider.Interface].
func (l logged) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	defer begin(ctx, req.TypeName, "ReadDataSource")(&resp.Diagnostics)
	return l.server.ReadDataSource(ctx, req)
}

// ValidateEphemeralResourceConfig implements [provider.Interface].
func (l logged) ValidateEphemeralResourceConfig(ctx context.Context, req provider.ValidateEphemeralResourceConfigRequest) (resp provider.ValidateEphemeralResourceConfigResponse) {
	defer begin(ctx, req.TypeName, "ValidateEphemeralResourceConfig")(&resp.Diagnostics)
	return l.server.ValidateEphemeralResourceConfig(ctx, req)
}

// OpenEphemeralResource implements [provider.Interface].
func (l logged) OpenEphemeralResource(ctx context.Context, req provider.OpenEphemeralResourceRequest) (resp provider.OpenEphemeralResourceResponse) {
	defer begin(ctx, req.TypeName, "OpenEphemeralResource")(&resp.Diagnostics)
	return l.server.OpenEphemeralResource(ctx, req)
}

// RenewEphemeralResource implements [provider.Interface].
func (l logged) RenewEphemeralResource(ctx context.Context, req provider.RenewEphemeralResourceRequest) (resp provider.RenewEphemeralResourceResponse) {
	defer begin(ctx, req.TypeName, "RenewEphemeralResource")(&resp.Diagnostics)
	return l.server.RenewEphemeralResource(ctx, req)
}

// CloseEphemeralResource implements [provider.Interface].
func (l logged) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) (resp provider.CloseEphemeralResourceResponse) {
	defer begin(ctx, req.TypeName, "CloseEphemeralResource")(&resp.Diagnostics)
	return l.server.CloseEphemeralResource(ctx, req)
}

// ValidateListResourceConfig implements [provider.Interface].
func (l logged) ValidateListResourceConfig(ctx context.Context, req provider.ValidateListResourceConfigRequest) (resp provider.ValidateListResourceConfigResponse) {
	defer begin(ctx, req.TypeName, "ValidateListResourceConfig")(&resp.Diagnostics)
	return l.server.ValidateListResourceConfig(ctx, req)
}

// ValidateActionConfig implements [provider.Interface].
func (l logged) ValidateActionConfig(ctx context.Context, req provider.ValidateActionConfigRequest) (resp provider.ValidateActionConfigResponse) {
	defer begin(ctx, req.ActionType, "ValidateActionConfig")(&resp.Diagnostics)
	return l.server.ValidateActionConfig(ctx, req)
}

// PlanAction implements [provider.Interface].
func (l logged) PlanAction(ctx context.Context, req provider.PlanActionRequest) (resp provider.PlanActionResponse) {
	defer begin(ctx, req.ActionType, "PlanAction")(&resp.Diagnostics)
	return l.server.PlanAction(ctx, req)
}

// ValidateStateStoreConfig implements [provider.Interface].
func (l logged) ValidateStateStoreConfig(ctx context.Context, req provider.ValidateStateStoreConfigRequest) (resp provider.ValidateStateStoreConfigResponse) {
	defer begin(ctx, req.TypeName, "ValidateStateStoreConfig")(&resp.Diagnostics)
	return l.server.ValidateStateStoreConfig(ctx, req)
}

// ConfigureStateStore implements [provider.Interface].
func (l logged) ConfigureStateStore(ctx context.Context, req provider.ConfigureStateStoreRequest) (resp provider.ConfigureStateStoreResponse) {
	defer begin(ctx, req.TypeName, "ConfigureStateStore")(&resp.Diagnostics)
	return l.server.ConfigureStateStore(ctx, req)
}

// WriteStateBytes implements [provider.Interface].
func (l logged) WriteStateBytes(ctx context.Context, req provider.WriteStateBytesRequest) (resp provider.WriteStateBytesResponse) {
	defer begin(ctx, req.TypeName, "WriteStateBytes")(&resp.Diagnostics)
	return l.server.WriteStateBytes(ctx, req)
}

// LockState implements [provider.Interface].
func (l logged) LockState(ctx context.Context, req provider.LockStateRequest) (resp provider.LockStateResponse) {
	defer begin(ctx, req.TypeName, "LockState")(&resp.Diagnostics)
	return l.server.LockState(ctx, req)
}

// UnlockState implements [provider.Interface].
func (l logged) UnlockState(ctx context.Context, req provider.UnlockStateRequest) (resp provider.UnlockStateResponse) {
	defer begin(ctx, req.TypeName, "UnlockState")(&resp.Diagnostics)
	return l.server.UnlockState(ctx, req)
}

// GetStates implements [provider.Interface].
func (l logged) GetStates(ctx context.Context, req provider.GetStatesRequest) (resp provider.GetStatesResponse) {
	defer begin(ctx, req.TypeName, "GetStates")(&resp.Diagnostics)
	return l.server.GetStates(ctx, req)
}

// DeleteState implements [provider.Interface].
func (l logged) DeleteState(ctx context.Context, req provider.DeleteStateRequest) (resp provider.DeleteStateResponse) {
	defer begin(ctx, req.TypeName, "DeleteState")(&resp.Diagnostics)
	return l.server.DeleteState(ctx, req)
}

// CallFunction implements [provider.Interface]. Functions have an error instead of
// diagnostics.
func (l logged) CallFunction(ctx context.Context, req provider.CallFunctionRequest) provider.CallFunctionResponse {
	end := begin(ctx, req.FunctionName, "CallFunction")
	resp := l.server.CallFunction(ctx, req)
	diags := diag.FromError("", resp.Err)
	end(&diags)
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

// applyOperation returns Create, Update or Delete.
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

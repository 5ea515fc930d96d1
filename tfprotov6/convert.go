package tfprotov6

import (
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/provider"
)

// deferredToProto has no word for the reasons that only clients give.
func deferredToProto(d *provider.Deferred) *tfplugin.Deferred {
	if d == nil {
		return nil
	}
	reason := tfplugin.DeferredReasonUnknown
	switch d.Reason {
	case provider.DeferredReasonResourceConfigUnknown:
		reason = tfplugin.DeferredReasonResourceConfigUnknown
	case provider.DeferredReasonProviderConfigUnknown:
		reason = tfplugin.DeferredReasonProviderConfigUnknown
	case provider.DeferredReasonAbsentPrereq:
		reason = tfplugin.DeferredReasonAbsentPrereq
	}
	return &tfplugin.Deferred{Reason: reason}
}

func deferredFromProto(d *tfplugin.Deferred) *provider.Deferred {
	if d == nil {
		return nil
	}
	reason := provider.DeferredReasonInvalid
	switch d.Reason {
	case tfplugin.DeferredReasonResourceConfigUnknown:
		reason = provider.DeferredReasonResourceConfigUnknown
	case tfplugin.DeferredReasonProviderConfigUnknown:
		reason = provider.DeferredReasonProviderConfigUnknown
	case tfplugin.DeferredReasonAbsentPrereq:
		reason = provider.DeferredReasonAbsentPrereq
	}
	return &provider.Deferred{Reason: reason}
}

func capabilitiesToProto(c provider.ServerCapabilities) *tfplugin.ServerCapabilities {
	return &tfplugin.ServerCapabilities{
		GetProviderSchemaOptional: c.GetProviderSchemaOptional,
		MoveResourceState:         c.MoveResourceState,
		PlanDestroy:               c.PlanDestroy,
		GenerateResourceConfig:    c.GenerateResourceConfig,
	}
}

func capabilitiesFromProto(c *tfplugin.ServerCapabilities) provider.ServerCapabilities {
	if c == nil {
		return provider.ServerCapabilities{}
	}
	return provider.ServerCapabilities{
		GetProviderSchemaOptional: c.GetProviderSchemaOptional,
		MoveResourceState:         c.MoveResourceState,
		PlanDestroy:               c.PlanDestroy,
		GenerateResourceConfig:    c.GenerateResourceConfig,
	}
}

// allowing is what a client can handle. That write-only attributes may be set
// is said with ValidateResourceConfig only.
func allowing(deferral bool) provider.ClientCapabilities {
	return provider.ClientCapabilities{DeferralAllowed: deferral}
}

func rawStateToProto(json []byte, flatmap map[string]string) *tfplugin.RawState {
	if json == nil && flatmap == nil {
		return nil
	}
	return &tfplugin.RawState{JSON: json, Flatmap: flatmap}
}

func jsonOf(raw *tfplugin.RawState) []byte {
	if raw == nil {
		return nil
	}
	return raw.JSON
}

func flatmapOf(raw *tfplugin.RawState) map[string]string {
	if raw == nil {
		return nil
	}
	return raw.Flatmap
}

// validText replaces what is not UTF-8, which would make the whole answer fail
// to be sent. Of diagnostics terraform-plugin-go takes care itself.
func validText(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

package provider

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateResourceConfigRequest validates a configuration, which may contain
// unknown values.
type ValidateResourceConfigRequest struct {
	TypeName           string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// ValidateResourceConfigResponse has the diagnostics.
type ValidateResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// UpgradeResourceStateRequest upgrades a stored state. One of the raw fields is
// set. It is also sent if the version is current.
type UpgradeResourceStateRequest struct {
	TypeName        string
	Version         int64
	RawStateJSON    []byte
	RawStateFlatmap map[string]string
}

// UpgradeResourceStateResponse has the state in the current schema.
type UpgradeResourceStateResponse struct {
	UpgradedState cty.Value
	Diagnostics   diag.Diagnostics
}

// UpgradeResourceIdentityRequest upgrades a stored identity. Terraform sends it
// without data if the first identity schema of a type has a version above zero.
type UpgradeResourceIdentityRequest struct {
	TypeName        string
	Version         int64
	RawIdentityJSON []byte
}

// UpgradeResourceIdentityResponse has the identity in the current schema.
type UpgradeResourceIdentityResponse struct {
	UpgradedIdentity cty.Value
	Diagnostics      diag.Diagnostics
}

// ReadResourceRequest reads the current state of an object.
type ReadResourceRequest struct {
	TypeName           string
	PriorState         cty.Value
	Private            []byte
	ProviderMeta       cty.Value
	ClientCapabilities ClientCapabilities
	CurrentIdentity    cty.Value
}

// ReadResourceResponse has the current state. A null NewState means that the
// object does not exist any more. Clients store Private and Identity as they
// are; what they omit is lost.
type ReadResourceResponse struct {
	NewState    cty.Value
	Diagnostics diag.Diagnostics
	Private     []byte
	Deferred    *Deferred
	Identity    cty.Value
}

// PlanResourceChangeRequest plans the change from PriorState to Config. A null
// PriorState means create, a null ProposedNewState means destroy.
type PlanResourceChangeRequest struct {
	TypeName           string
	PriorState         cty.Value
	ProposedNewState   cty.Value
	Config             cty.Value
	PriorPrivate       []byte
	ProviderMeta       cty.Value
	ClientCapabilities ClientCapabilities
	PriorIdentity      cty.Value
}

// PlanResourceChangeResponse has the plan, which the apply must match.
type PlanResourceChangeResponse struct {
	PlannedState    cty.Value
	RequiresReplace []cty.Path
	PlannedPrivate  []byte
	Diagnostics     diag.Diagnostics
	// LegacyTypeSystem asks clients to tolerate inconsistencies. Providers of
	// package runtime never set it.
	LegacyTypeSystem bool
	Deferred         *Deferred
	PlannedIdentity  cty.Value
}

// ApplyResourceChangeRequest applies a plan. A null PlannedState means destroy.
type ApplyResourceChangeRequest struct {
	TypeName        string
	PriorState      cty.Value
	PlannedState    cty.Value
	Config          cty.Value
	PlannedPrivate  []byte
	ProviderMeta    cty.Value
	PlannedIdentity cty.Value
}

// ApplyResourceChangeResponse has the new state. A non-null NewState is stored
// even with error diagnostics; a created object is tainted then.
type ApplyResourceChangeResponse struct {
	NewState         cty.Value
	Private          []byte
	Diagnostics      diag.Diagnostics
	LegacyTypeSystem bool
	NewIdentity      cty.Value
}

// ImportResourceStateRequest imports an existing object by ID or by Identity.
// Exactly one of the two is set.
type ImportResourceStateRequest struct {
	TypeName           string
	ID                 string
	ClientCapabilities ClientCapabilities
	Identity           cty.Value
}

// ImportResourceStateResponse has the imported objects. ReadResource completes
// them.
type ImportResourceStateResponse struct {
	ImportedResources []ImportedResource
	Diagnostics       diag.Diagnostics
	Deferred          *Deferred
}

// ImportedResource is one imported object.
type ImportedResource struct {
	TypeName string
	State    cty.Value
	Private  []byte
	Identity cty.Value
}

// MoveResourceStateRequest converts the stored state of an object of another
// type, possibly of another provider, to the type TargetTypeName.
type MoveResourceStateRequest struct {
	SourceProviderAddress string
	SourceTypeName        string
	SourceSchemaVersion   int64
	SourceStateJSON       []byte
	SourcePrivate         []byte
	TargetTypeName        string
	// SourceIdentity is JSON, or nil.
	SourceIdentity []byte
}

// MoveResourceStateResponse has the object of the target type.
type MoveResourceStateResponse struct {
	TargetState    cty.Value
	TargetPrivate  []byte
	Diagnostics    diag.Diagnostics
	TargetIdentity cty.Value
}

// GenerateResourceConfigRequest generates the configuration of an object with
// State.
type GenerateResourceConfigRequest struct {
	TypeName string
	State    cty.Value
}

// GenerateResourceConfigResponse has that configuration.
type GenerateResourceConfigResponse struct {
	Config      cty.Value
	Diagnostics diag.Diagnostics
}

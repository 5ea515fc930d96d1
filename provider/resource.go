package provider

import (
	"iter"
	"time"

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
// set. The request is also sent if the version is current.
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

// UpgradeResourceIdentityRequest upgrades a stored identity. Terraform also sends the request,
// without data, for a state without an identity if the version of the identity schema is above zero.
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
// object does not exist any more. Clients store Private and Identity unchanged,
// so values that are not set are lost.
type ReadResourceResponse struct {
	NewState    cty.Value
	Diagnostics diag.Diagnostics
	Private     []byte
	Deferred    *Deferred
	Identity    cty.Value
}

// PlanResourceChangeRequest plans the change from PriorState to Config. A null
// PriorState means create, and a null ProposedNewState means destroy.
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
	// LegacyTypeSystem makes clients tolerate inconsistencies. Providers of
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
// even with error diagnostics; a created object is then tainted.
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

// GenerateResourceConfigRequest generates the configuration of the object whose
// state is State.
type GenerateResourceConfigRequest struct {
	TypeName string
	State    cty.Value
}

// GenerateResourceConfigResponse has the generated configuration.
type GenerateResourceConfigResponse struct {
	Config      cty.Value
	Diagnostics diag.Diagnostics
}

// ValidateListResourceConfigRequest validates a configuration, which may
// contain unknown values. Limit and IncludeResourceObject are null if the
// configuration does not set them.
type ValidateListResourceConfigRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject cty.Value
	Limit                 cty.Value
}

// ValidateListResourceConfigResponse has the diagnostics.
type ValidateListResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ListResourceRequest lists existing objects, at most Limit of them. A Limit of
// zero or less means no limit.
type ListResourceRequest struct {
	TypeName              string
	Config                cty.Value
	IncludeResourceObject bool
	Limit                 int64
}

// ListResourceResponse has the results as they are found. The receiver must
// range over Results, and may stop early. Diagnostics has the errors that
// prevent the listing; Results may then be nil.
type ListResourceResponse struct {
	Results     iter.Seq[ListResult]
	Diagnostics diag.Diagnostics
}

// ListResult is one existing object.
type ListResult struct {
	DisplayName string
	Identity    cty.Value
	// ResourceObject is NilVal unless it was requested.
	ResourceObject cty.Value
	Diagnostics    diag.Diagnostics
}

// ValidateDataResourceConfigRequest validates a configuration, which may
// contain unknown values.
type ValidateDataResourceConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateDataResourceConfigResponse has the diagnostics.
type ValidateDataResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ReadDataSourceRequest reads a data source. Config is wholly known.
type ReadDataSourceRequest struct {
	TypeName           string
	Config             cty.Value
	ProviderMeta       cty.Value
	ClientCapabilities ClientCapabilities
}

// ReadDataSourceResponse has the data. State must not be null, unless the response has an
// error or is deferred.
type ReadDataSourceResponse struct {
	State       cty.Value
	Diagnostics diag.Diagnostics
	Deferred    *Deferred
}

// ValidateEphemeralResourceConfigRequest validates a configuration, which may
// contain unknown values.
type ValidateEphemeralResourceConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateEphemeralResourceConfigResponse has the diagnostics.
type ValidateEphemeralResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// OpenEphemeralResourceRequest creates an object that exists during this run
// only.
type OpenEphemeralResourceRequest struct {
	TypeName           string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// OpenEphemeralResourceResponse has the object. A zero RenewAt means that the
// object needs no renewal.
type OpenEphemeralResourceResponse struct {
	Result      cty.Value
	Private     []byte
	RenewAt     time.Time
	Deferred    *Deferred
	Diagnostics diag.Diagnostics
}

// RenewEphemeralResourceRequest extends the lifetime of an object.
type RenewEphemeralResourceRequest struct {
	TypeName string
	Private  []byte
}

// RenewEphemeralResourceResponse has the time of the next renewal.
type RenewEphemeralResourceResponse struct {
	Private     []byte
	RenewAt     time.Time
	Diagnostics diag.Diagnostics
}

// CloseEphemeralResourceRequest ends the lifetime of an object. Terraform sends
// the private data of Open, OpenTofu that of the last Renew.
type CloseEphemeralResourceRequest struct {
	TypeName string
	Private  []byte
}

// CloseEphemeralResourceResponse has the diagnostics.
type CloseEphemeralResourceResponse struct {
	Diagnostics diag.Diagnostics
}

package provider

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateResourceConfigRequest asks whether a configuration, perhaps partly
// unknown, is lawful.
type ValidateResourceConfigRequest struct {
	TypeName           string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// ValidateResourceConfigResponse has the messages.
type ValidateResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// UpgradeResourceStateRequest gives a stored state as it was stored; one of the
// raw fields is set. It is sent for equal versions too.
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

// UpgradeResourceIdentityRequest gives a stored identity as it was stored.
// Terraform sends it without data where a type got its first identity schema
// at a version above zero.
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

// ReadResourceRequest asks how an object is now.
type ReadResourceRequest struct {
	TypeName           string
	PriorState         cty.Value
	Private            []byte
	ProviderMeta       cty.Value
	ClientCapabilities ClientCapabilities
	CurrentIdentity    cty.Value
}

// ReadResourceResponse says how it is; a null NewState says that it is gone.
// What Private and Identity leave out is lost: clients store exactly these.
type ReadResourceResponse struct {
	NewState    cty.Value
	Diagnostics diag.Diagnostics
	Private     []byte
	Deferred    *Deferred
	Identity    cty.Value
}

// PlanResourceChangeRequest asks what would become of PriorState under Config.
// A null PriorState is a create, a null ProposedNewState a destroy.
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

// PlanResourceChangeResponse is the promise that apply has to keep.
type PlanResourceChangeResponse struct {
	PlannedState    cty.Value
	RequiresReplace []cty.Path
	PlannedPrivate  []byte
	Diagnostics     diag.Diagnostics
	// LegacyTypeSystem asks clients to look away from inconsistencies. It is in
	// the type because other providers set it; ours never does.
	LegacyTypeSystem bool
	Deferred         *Deferred
	PlannedIdentity  cty.Value
}

// ApplyResourceChangeRequest asks to make a plan true. A null PlannedState is a
// destroy.
type ApplyResourceChangeRequest struct {
	TypeName        string
	PriorState      cty.Value
	PlannedState    cty.Value
	Config          cty.Value
	PlannedPrivate  []byte
	ProviderMeta    cty.Value
	PlannedIdentity cty.Value
}

// ApplyResourceChangeResponse is what became true. With error diagnostics a
// non-null NewState is stored all the same, and a created object is tainted.
type ApplyResourceChangeResponse struct {
	NewState         cty.Value
	Private          []byte
	Diagnostics      diag.Diagnostics
	LegacyTypeSystem bool
	NewIdentity      cty.Value
}

// ImportResourceStateRequest names an existing object by ID or by Identity;
// exactly one of the two is set.
type ImportResourceStateRequest struct {
	TypeName           string
	ID                 string
	ClientCapabilities ClientCapabilities
	Identity           cty.Value
}

// ImportResourceStateResponse has enough of each object for ReadResource to
// complete it.
type ImportResourceStateResponse struct {
	ImportedResources []ImportedResource
	Diagnostics       diag.Diagnostics
	Deferred          *Deferred
}

// ImportedResource is one object that was found.
type ImportedResource struct {
	TypeName string
	State    cty.Value
	Private  []byte
	Identity cty.Value
}

// MoveResourceStateRequest gives the stored state of an object of another type,
// perhaps of another provider, that is to become an object of TargetTypeName.
type MoveResourceStateRequest struct {
	SourceProviderAddress string
	SourceTypeName        string
	SourceSchemaVersion   int64
	SourceStateJSON       []byte
	SourcePrivate         []byte
	TargetTypeName        string
	// SourceIdentity is JSON, nil where there is none.
	SourceIdentity []byte
}

// MoveResourceStateResponse has the object in its new type.
type MoveResourceStateResponse struct {
	TargetState    cty.Value
	TargetPrivate  []byte
	Diagnostics    diag.Diagnostics
	TargetIdentity cty.Value
}

// GenerateResourceConfigRequest asks for a configuration that describes State.
type GenerateResourceConfigRequest struct {
	TypeName string
	State    cty.Value
}

// GenerateResourceConfigResponse has that configuration.
type GenerateResourceConfigResponse struct {
	Config      cty.Value
	Diagnostics diag.Diagnostics
}

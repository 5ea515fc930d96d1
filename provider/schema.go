package provider

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// Schema is a schema with its version. The identity fields are set for managed
// resources with an identity.
type Schema struct {
	Version int64
	Body    *configschema.Block

	IdentityVersion int64
	Identity        *configschema.Object
}

// IdentitySchema is the schema of a resource identity with its version.
type IdentitySchema struct {
	Version int64
	Body    *configschema.Object
}

// ServerCapabilities has the optional features of a provider.
type ServerCapabilities struct {
	// PlanDestroy means that destroys are planned, so that Apply gets the
	// planned identity.
	PlanDestroy bool
	// GetProviderSchemaOptional means that new instances work without a call of
	// GetProviderSchema.
	GetProviderSchemaOptional bool
	// MoveResourceState means that objects can be moved from other resource
	// types.
	MoveResourceState bool
	// GenerateResourceConfig means that configuration can be generated for
	// existing objects.
	GenerateResourceConfig bool
}

// ClientCapabilities has the optional features of a client.
type ClientCapabilities struct {
	// DeferralAllowed means that a response may defer the change to a later run.
	DeferralAllowed bool
	// WriteOnlyAttributesAllowed means that write-only attributes may be set.
	WriteOnlyAttributesAllowed bool
}

// DeferredReason is the reason for a deferral.
type DeferredReason string

// The reasons for a deferral. The protocol has values for [DeferredReasonResourceConfigUnknown],
// [DeferredReasonProviderConfigUnknown] and [DeferredReasonAbsentPrereq]. A client receives all
// others as [DeferredReasonInvalid].
const (
	DeferredReasonInvalid               DeferredReason = "invalid"
	DeferredReasonInstanceCountUnknown  DeferredReason = "instance_count_unknown"
	DeferredReasonResourceConfigUnknown DeferredReason = "resource_config_unknown"
	DeferredReasonProviderConfigUnknown DeferredReason = "provider_config_unknown"
	DeferredReasonAbsentPrereq          DeferredReason = "absent_prereq"
	DeferredReasonDeferredPrereq        DeferredReason = "deferred_prereq"
)

// Deferred means that the requested operation is deferred to a later run.
type Deferred struct {
	Reason DeferredReason
}

// GetProviderSchemaRequest has no fields.
type GetProviderSchemaRequest struct{}

// GetProviderSchemaResponse has all schemas of a provider by type name. It is
// shared and must not be modified.
type GetProviderSchemaResponse struct {
	Provider               Schema
	ProviderMeta           Schema
	ResourceTypes          map[string]Schema
	DataSources            map[string]Schema
	EphemeralResourceTypes map[string]Schema
	ListResourceTypes      map[string]Schema
	Actions                map[string]Schema
	StateStores            map[string]Schema
	Functions              map[string]FunctionDecl
	Diagnostics            diag.Diagnostics
	ServerCapabilities     ServerCapabilities
}

// GetResourceIdentitySchemasRequest has no fields.
type GetResourceIdentitySchemasRequest struct{}

// GetResourceIdentitySchemasResponse has the identity schemas of the managed
// resources that have one, by type name.
type GetResourceIdentitySchemasResponse struct {
	IdentityTypes map[string]IdentitySchema
	Diagnostics   diag.Diagnostics
}

// ValidateProviderConfigRequest validates a provider configuration, which may
// contain unknown values.
type ValidateProviderConfigRequest struct {
	Config cty.Value
}

// ValidateProviderConfigResponse has the diagnostics. PreparedConfig is the
// configuration of the request; it exists for protocol 5 and clients ignore it.
type ValidateProviderConfigResponse struct {
	PreparedConfig cty.Value
	Diagnostics    diag.Diagnostics
}

// ConfigureProviderRequest configures the provider. The configuration may
// contain unknown values during a plan.
type ConfigureProviderRequest struct {
	TerraformVersion   string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// ConfigureProviderResponse has the diagnostics.
type ConfigureProviderResponse struct {
	Diagnostics diag.Diagnostics
}

package provider

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
)

// Schema is the schema of one object with its version. The identity fields are
// set for managed resources that have an identity.
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

// ServerCapabilities is what a provider offers beyond the minimum.
type ServerCapabilities struct {
	// PlanDestroy: plan destroys too, so that Apply gets the planned identity.
	PlanDestroy bool
	// GetProviderSchemaOptional: works without a GetProviderSchema call on
	// each new instance.
	GetProviderSchemaOptional bool
	// MoveResourceState: answers moves from other resource types.
	MoveResourceState bool
	// GenerateResourceConfig: writes configuration for existing objects.
	GenerateResourceConfig bool
}

// ClientCapabilities is what a client can handle beyond the minimum.
type ClientCapabilities struct {
	// DeferralAllowed: an answer may be put off to a later run.
	DeferralAllowed bool
	// WriteOnlyAttributesAllowed: write-only attributes may be set.
	WriteOnlyAttributesAllowed bool
}

// DeferredReason says why an answer was put off.
type DeferredReason string

// The reasons that the protocol knows.
const (
	DeferredReasonInvalid               DeferredReason = "invalid"
	DeferredReasonInstanceCountUnknown  DeferredReason = "instance_count_unknown"
	DeferredReasonResourceConfigUnknown DeferredReason = "resource_config_unknown"
	DeferredReasonProviderConfigUnknown DeferredReason = "provider_config_unknown"
	DeferredReasonAbsentPrereq          DeferredReason = "absent_prereq"
	DeferredReasonDeferredPrereq        DeferredReason = "deferred_prereq"
)

// Deferred marks an answer as put off.
type Deferred struct {
	Reason DeferredReason
}

// GetProviderSchemaRequest has no fields.
type GetProviderSchemaRequest struct{}

// GetProviderSchemaResponse has all schemas of a provider, by type name. It is
// shared and must not be changed by who receives it.
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

// ValidateProviderConfigRequest asks whether a provider configuration, perhaps
// partly unknown, is lawful.
type ValidateProviderConfigRequest struct {
	Config cty.Value
}

// ValidateProviderConfigResponse has the messages. PreparedConfig is a relic of
// protocol 5 that clients ignore; it is the given configuration.
type ValidateProviderConfigResponse struct {
	PreparedConfig cty.Value
	Diagnostics    diag.Diagnostics
}

// ConfigureProviderRequest gives the provider its configuration. Unknown values
// may be inside during planning.
type ConfigureProviderRequest struct {
	TerraformVersion   string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// ConfigureProviderResponse has the messages.
type ConfigureProviderResponse struct {
	Diagnostics diag.Diagnostics
}

package provider

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

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

// ReadDataSourceResponse has the data. State must not be null.
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

// OpenEphemeralResourceResponse has the object. A zero RenewAt means that it
// needs no renewal.
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

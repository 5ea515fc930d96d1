package provider

import (
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ValidateDataResourceConfigRequest asks whether a configuration, perhaps
// partly unknown, is lawful.
type ValidateDataResourceConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateDataResourceConfigResponse has the messages.
type ValidateDataResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// ReadDataSourceRequest asks for data. Config is wholly known.
type ReadDataSourceRequest struct {
	TypeName           string
	Config             cty.Value
	ProviderMeta       cty.Value
	ClientCapabilities ClientCapabilities
}

// ReadDataSourceResponse has the data; State may not be null.
type ReadDataSourceResponse struct {
	State       cty.Value
	Diagnostics diag.Diagnostics
	Deferred    *Deferred
}

// ValidateEphemeralResourceConfigRequest asks whether a configuration, perhaps
// partly unknown, is lawful.
type ValidateEphemeralResourceConfigRequest struct {
	TypeName string
	Config   cty.Value
}

// ValidateEphemeralResourceConfigResponse has the messages.
type ValidateEphemeralResourceConfigResponse struct {
	Diagnostics diag.Diagnostics
}

// OpenEphemeralResourceRequest asks for an object that lasts for this run.
type OpenEphemeralResourceRequest struct {
	TypeName           string
	Config             cty.Value
	ClientCapabilities ClientCapabilities
}

// OpenEphemeralResourceResponse has the object. A zero RenewAt means that it
// never needs renewal.
type OpenEphemeralResourceResponse struct {
	Result      cty.Value
	Private     []byte
	RenewAt     time.Time
	Deferred    *Deferred
	Diagnostics diag.Diagnostics
}

// RenewEphemeralResourceRequest asks to keep an object alive.
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

// CloseEphemeralResourceRequest ends an object. Terraform sends the private
// data of Open, OpenTofu that of the last Renew.
type CloseEphemeralResourceRequest struct {
	TypeName string
	Private  []byte
}

// CloseEphemeralResourceResponse has the messages.
type CloseEphemeralResourceResponse struct {
	Diagnostics diag.Diagnostics
}

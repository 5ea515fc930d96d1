package resourcetest

import (
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Lookup is one data source or ephemeral resource. Its methods call the provider as
// Terraform does, without an engine.
type Lookup struct {
	T        *testing.T
	Provider provider.Interface
	TypeName string
	Body     *configschema.Block

	Result  cty.Value
	Private []byte
	RenewAt time.Time
}

// NewData returns a data source. The provider must be configured.
func NewData(t *testing.T, p provider.Interface, typeName string) *Lookup {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources[typeName]
	if !ok {
		t.Fatalf("no data source %s", typeName)
	}
	return &Lookup{T: t, Provider: p, TypeName: typeName, Body: schema.Body}
}

// NewEphemeral returns an ephemeral resource. The provider must be configured.
func NewEphemeral(t *testing.T, p provider.Interface, typeName string) *Lookup {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes[typeName]
	if !ok {
		t.Fatalf("no ephemeral resource %s", typeName)
	}
	return &Lookup{T: t, Provider: p, TypeName: typeName, Body: schema.Body}
}

// Read validates and reads a data source.
func (l *Lookup) Read(set Attrs) diag.Diagnostics {
	l.T.Helper()
	config := complete(l.T, l.Body, set)
	diags := l.Provider.ValidateDataResourceConfig(l.T.Context(), provider.ValidateDataResourceConfigRequest{TypeName: l.TypeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := l.Provider.ReadDataSource(l.T.Context(), provider.ReadDataSourceRequest{TypeName: l.TypeName, Config: config})
	l.Result = resp.State
	return resp.Diagnostics
}

// Open validates and opens an ephemeral resource.
func (l *Lookup) Open(set Attrs) diag.Diagnostics {
	l.T.Helper()
	config := complete(l.T, l.Body, set)
	diags := l.Provider.ValidateEphemeralResourceConfig(l.T.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: l.TypeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := l.Provider.OpenEphemeralResource(l.T.Context(), provider.OpenEphemeralResourceRequest{TypeName: l.TypeName, Config: config})
	l.Result, l.Private, l.RenewAt = resp.Result, resp.Private, resp.RenewAt
	return resp.Diagnostics
}

// Renew renews an ephemeral resource.
func (l *Lookup) Renew() diag.Diagnostics {
	l.T.Helper()
	resp := l.Provider.RenewEphemeralResource(l.T.Context(), provider.RenewEphemeralResourceRequest{TypeName: l.TypeName, Private: l.Private})
	l.Private, l.RenewAt = resp.Private, resp.RenewAt
	return resp.Diagnostics
}

// Close closes an ephemeral resource.
func (l *Lookup) Close() diag.Diagnostics {
	l.T.Helper()
	return l.Provider.CloseEphemeralResource(l.T.Context(), provider.CloseEphemeralResourceRequest{TypeName: l.TypeName, Private: l.Private}).Diagnostics
}

// WantAttrs fails the test if the result has other values.
func (l *Lookup) WantAttrs(want Attrs) {
	l.T.Helper()
	wantAttrs(l.T, l.Result, want)
}

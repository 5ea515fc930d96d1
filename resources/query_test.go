package resources_test

import (
	"maps"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// query takes Terraform's role for a data source or an ephemeral resource.
type query struct {
	t        *testing.T
	p        provider.Interface
	typeName string
	body     *configschema.Block
	result   cty.Value
	private  []byte
	renewAt  time.Time
}

func newData(t *testing.T, p provider.Interface, typeName string) *query {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources[typeName]
	if !ok {
		t.Fatalf("no data source %s", typeName)
	}
	return &query{t: t, p: p, typeName: typeName, body: schema.Body}
}

func newEphemeral(t *testing.T, p provider.Interface, typeName string) *query {
	t.Helper()
	schema, ok := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).EphemeralResourceTypes[typeName]
	if !ok {
		t.Fatalf("no ephemeral resource %s", typeName)
	}
	return &query{t: t, p: p, typeName: typeName, body: schema.Body}
}

func (q *query) config(set attrs) cty.Value {
	q.t.Helper()
	all := q.body.EmptyValue().AsValueMap()
	for name := range set {
		if _, ok := all[name]; !ok {
			q.t.Fatalf("no attribute %s", name)
		}
	}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// read asks a data source.
func (q *query) read(set attrs) diag.Diagnostics {
	q.t.Helper()
	config := q.config(set)
	diags := q.p.ValidateDataResourceConfig(q.t.Context(), provider.ValidateDataResourceConfigRequest{TypeName: q.typeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := q.p.ReadDataSource(q.t.Context(), provider.ReadDataSourceRequest{TypeName: q.typeName, Config: config})
	q.result = resp.State
	return resp.Diagnostics
}

// open opens an ephemeral resource.
func (q *query) open(set attrs) diag.Diagnostics {
	q.t.Helper()
	config := q.config(set)
	diags := q.p.ValidateEphemeralResourceConfig(q.t.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: q.typeName, Config: config}).Diagnostics
	if diags.HasErrors() {
		return diags
	}
	resp := q.p.OpenEphemeralResource(q.t.Context(), provider.OpenEphemeralResourceRequest{TypeName: q.typeName, Config: config})
	q.result, q.private, q.renewAt = resp.Result, resp.Private, resp.RenewAt
	return resp.Diagnostics
}

func (q *query) renew() diag.Diagnostics {
	q.t.Helper()
	resp := q.p.RenewEphemeralResource(q.t.Context(), provider.RenewEphemeralResourceRequest{TypeName: q.typeName, Private: q.private})
	q.private, q.renewAt = resp.Private, resp.RenewAt
	return resp.Diagnostics
}

func (q *query) close() diag.Diagnostics {
	q.t.Helper()
	return q.p.CloseEphemeralResource(q.t.Context(), provider.CloseEphemeralResourceRequest{TypeName: q.typeName, Private: q.private}).Diagnostics
}

// fine ends the test where something is wrong.
func fine(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

func (q *query) wantAttrs(want attrs) {
	q.t.Helper()
	for _, name := range sorted(want) {
		if got := q.result.GetAttr(name); !got.RawEquals(want[name]) {
			q.t.Errorf("%s is %#v, want %#v", name, got, want[name])
		}
	}
}

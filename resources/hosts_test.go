package resources_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestHostRule checks that every resource, data source and ephemeral resource has the attribute host,
// validates its form and describes its values.
func TestHostRule(t *testing.T) {
	t.Parallel()
	p := resourcetest.Configured(t, newProvider)
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	for family, types := range map[string]map[string]provider.Schema{
		"resource": schema.ResourceTypes, "data source": schema.DataSources, "ephemeral resource": schema.EphemeralResourceTypes,
	} {
		for name, s := range types {
			if s.Body.Attributes["host"] == nil {
				t.Errorf("the %s %s has no attribute host", family, name)
				continue
			}
			config := s.Body.EmptyValue().AsValueMap()
			config["host"] = cty.StringVal("a b")
			var diags diag.Diagnostics
			switch family {
			case "resource":
				diags = p.ValidateResourceConfig(t.Context(), provider.ValidateResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			case "data source":
				diags = p.ValidateDataResourceConfig(t.Context(), provider.ValidateDataResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			default:
				diags = p.ValidateEphemeralResourceConfig(t.Context(), provider.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: cty.ObjectVal(config)}).Diagnostics
			}
			resourcetest.WantError(t, diags, "host", "not a valid host name or address")
			if !strings.Contains(s.Body.Attributes["host"].Description, "root@192.0.2.7:22") {
				t.Errorf("the description of host in the %s %s does not name its values", family, name)
			}
		}
	}
}

// TestReadOnUnknownHost checks that reads on a host whose address is unknown are deferred if
// the client supports deferral, and that otherwise the error names the unknown attribute.
func TestReadOnUnknownHost(t *testing.T) {
	t.Parallel()
	f := resourcetest.NewFleet(t, newProvider, nil, map[string]resourcetest.Attrs{"new": {"address": cty.UnknownVal(cty.String)}})
	schema := f.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	config := func(s provider.Schema) cty.Value {
		set := s.Body.EmptyValue().AsValueMap()
		set["host"] = cty.StringVal("new")
		if set["path"] != cty.NilVal {
			set["path"] = cty.StringVal("/x")
		}
		if set["command"] != cty.NilVal {
			set["command"] = cty.StringVal("true")
		}
		if set["uid"] != cty.NilVal { // either a UID or a name is required
			set["name"] = cty.StringVal("x")
		}
		if set["target_socket"] != cty.NilVal {
			set["target_socket"] = cty.StringVal("/run/x")
		}
		return cty.ObjectVal(set)
	}
	for name, s := range schema.DataSources {
		for _, allowed := range []bool{false, true} {
			resp := f.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{
				TypeName: name, Config: config(s), ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: allowed},
			})
			if !allowed {
				resourcetest.WantError(t, resp.Diagnostics, "", `hosts["new"].address`, "-target")
			} else if resp.Deferred == nil || len(resp.Diagnostics) > 0 {
				t.Errorf("the data source %s is deferred as %v and has %v, want only a deferral", name, resp.Deferred, resp.Diagnostics)
			}
		}
	}
	for name, s := range schema.EphemeralResourceTypes {
		for _, allowed := range []bool{false, true} {
			resp := f.OpenEphemeralResource(t.Context(), provider.OpenEphemeralResourceRequest{
				TypeName: name, Config: config(s), ClientCapabilities: provider.ClientCapabilities{DeferralAllowed: allowed},
			})
			if !allowed {
				resourcetest.WantError(t, resp.Diagnostics, "", `hosts["new"].address`, "-target")
			} else if resp.Deferred == nil || len(resp.Diagnostics) > 0 {
				t.Errorf("the ephemeral resource %s is deferred as %v and has %v, want only a deferral", name, resp.Deferred, resp.Diagnostics)
			}
		}
	}
}

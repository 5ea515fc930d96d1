package runtime

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// unknownType is the answer about a resource type that is not registered.
func unknownType(typeName string) diag.Diagnostics {
	return diag.Diagnostics{}.Errorf(nil, "Unknown resource type", "This provider has no resource type %q.", typeName)
}

// ValidateResourceConfig is part of [provider.Interface]. It checks what can be
// known without the provider's configuration: types and ranges, the texts of
// types that parse themselves, required attributes and constraints.
func (s *server) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	m := s.resources[req.TypeName]
	if m == nil {
		return provider.ValidateResourceConfigResponse{Diagnostics: unknownType(req.TypeName)}
	}
	if !usable(req.Config) {
		return provider.ValidateResourceConfigResponse{}
	}
	c := &call{typeName: req.TypeName}
	d := decoder{strict: true}
	err := c.guardPanic(ctx, "UnmarshalText", func() error {
		m.decodeIn(&d, req.Config, cty.NilVal)
		return d.err()
	})
	diags := c.diagnostics("Invalid value", err)
	for _, con := range m.constraints {
		diags = con.check(req.Config, diags)
	}
	if !req.ClientCapabilities.WriteOnlyAttributesAllowed {
		diags = m.refuseWriteOnly(req.Config, diags)
	}
	return provider.ValidateResourceConfigResponse{Diagnostics: diags}
}

func (m *managed) refuseWriteOnly(config cty.Value, diags diag.Diagnostics) diag.Diagnostics {
	for _, a := range m.ins {
		if a.writeOnly() && !config.GetAttr(a.name).IsNull() {
			diags = diags.Errorf(a.path, "Write-only attribute not supported",
				"The attribute %s is never stored, which needs Terraform 1.11 or OpenTofu 1.11 or later.", a.name)
		}
	}
	return diags
}

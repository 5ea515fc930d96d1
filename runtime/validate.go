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

// ValidateResourceConfig is part of [provider.Interface].
func (s *server) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	m := s.resources[req.TypeName]
	if m == nil {
		return provider.ValidateResourceConfigResponse{Diagnostics: unknownType(req.TypeName)}
	}
	if !usable(req.Config) {
		return provider.ValidateResourceConfigResponse{}
	}
	c := &call{typeName: req.TypeName}
	diags := m.check(ctx, c, req.Config, m.fresh)
	if !req.ClientCapabilities.WriteOnlyAttributesAllowed {
		diags = m.refuseWriteOnly(req.Config, diags)
	}
	return provider.ValidateResourceConfigResponse{Diagnostics: diags}
}

func (m *managed) refuseWriteOnly(config cty.Value, diags diag.Diagnostics) diag.Diagnostics {
	for _, a := range m.ins {
		diags = a.in.refuseWriteOnly(config.GetAttr(a.name), nil, diags)
	}
	return diags
}

func (f *field) refuseWriteOnly(v cty.Value, at cty.Path, diags diag.Diagnostics) diag.Diagnostics {
	at = at.GetAttr(f.name)
	if f.writeOnly && !v.IsNull() {
		return diags.Errorf(at, "Write-only attribute not supported",
			"The attribute %s is never stored, which needs Terraform 1.11 or OpenTofu 1.11 or later.", f.name)
	}
	if f.node.secrets {
		f.node.eachObject(v, at, func(object cty.Value, at cty.Path) {
			inner, _ := f.node.nesting()
			for _, g := range inner.fields {
				diags = g.refuseWriteOnly(object.GetAttr(g.name), at, diags)
			}
		})
	}
	return diags
}

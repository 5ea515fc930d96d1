package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
)

// validate asks the provider about a block, whatever its mode.
func (n *node) validate() tfdiags.Diagnostics {
	switch n.addr.Resource.Resource.Mode {
	case addrs.ManagedResourceMode:
		_, diags := n.evalConfig()
		return append(diags, n.validateLifecycle()...)
	case addrs.DataResourceMode:
		return n.validateWith(func(v cty.Value) diag.Diagnostics {
			return call(n.ctx, n.Engine, "ValidateDataResourceConfig", n.text, n.provider.ValidateDataResourceConfig,
				provider.ValidateDataResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, Config: v}).Diagnostics
		})
	default:
		return n.validateWith(func(v cty.Value) diag.Diagnostics {
			return call(n.ctx, n.Engine, "ValidateEphemeralResourceConfig", n.text, n.provider.ValidateEphemeralResourceConfig,
				provider.ValidateEphemeralResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, Config: v}).Diagnostics
		})
	}
}

func (n *node) validateWith(ask func(cty.Value) diag.Diagnostics) tfdiags.Diagnostics {
	v, diags := n.scope().body(n.block.Config, n.schema.Body)
	diags = diags.WithAddress(n.text)
	if n.addr.Resource.Resource.Mode == addrs.DataResourceMode {
		diags = append(diags, n.refuseEphemeral(v)...)
	}
	if diags.HasErrors() {
		return diags
	}
	bare, _ := v.UnmarkDeep()
	return append(diags, n.said(ask(bare))...)
}

// validationValue is what expressions see of the block during validation. For
// OpenTofu it says already what will be sensitive.
func (n *node) validationValue() cty.Value {
	v := n.unknownValue()
	if !n.terraform() && n.schema.Body.ContainsSensitive() {
		vals := make(map[string]cty.Value, len(n.schema.ty.AttributeTypes()))
		for name, ty := range n.schema.ty.AttributeTypes() {
			vals[name] = cty.UnknownVal(ty)
		}
		v = n.visible(cty.ObjectVal(vals), nil)
	}
	if n.addr.Resource.Resource.Mode == addrs.EphemeralResourceMode {
		v = v.Mark(lang.Ephemeral)
	}
	return v
}

// validateLifecycle checks that what a lifecycle names is there.
func (n *node) validateLifecycle() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, traversal := range n.block.Managed.IgnoreChanges {
		path, said := pathOf(traversal)
		diags = append(diags, said...)
		if said.HasErrors() || len(path) == 0 {
			continue
		}
		name, _ := path[0].(cty.GetAttrStep)
		if attr := n.schema.Body.Attributes[name.Name]; attr != nil && attr.Computed && !attr.Optional && len(path) == 1 {
			diags = diags.Warnf(n.text, "Redundant ignore_changes element", "Adding %s to ignore_changes has no effect: the provider alone sets it, so configuration cannot change it.", quoted(name.Name))
		}
		if n.schema.Body.Attributes[name.Name] == nil && n.schema.Body.BlockTypes[name.Name] == nil {
			diags = append(diags, at(traversal.SourceRange(), "Unsupported attribute", "There is neither an attribute nor a block \""+name.Name+"\" here.").WithAddress(n.text)...)
		}
	}
	return diags
}

// validateRepetition checks count or for_each as far as it is known.
func (b *block) validateRepetition(m addrs.ModuleInstance) tfdiags.Diagnostics {
	s := b.scope(m, b.config)
	expr, want := b.resource.ForEach, cty.DynamicPseudoType
	if b.resource.Count != nil {
		expr, want = b.resource.Count, cty.Number
	}
	v, diags := s.expr(expr, want)
	if diags.HasErrors() {
		return diags
	}
	if bare, _ := v.UnmarkDeep(); !bare.IsWhollyKnown() && !lang.Carries(v, lang.Sensitive) && !lang.Carries(v, lang.Ephemeral) {
		return diags
	}
	_, diags = s.expand(b.resource.Count, b.resource.ForEach)
	return diags
}

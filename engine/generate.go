package engine

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

const generateSuffix = " (generate)"

// generatedBlocks adds vertices for imports without configuration if GenerateConfig is set: the
// object is imported, its block is generated, and the result is planned.
func (b *builder) generatedBlocks() {
	if !b.opts.GenerateConfig {
		return
	}
	for _, block := range b.config.Module.Imports {
		r := &configs.Resource{
			Addr: block.Target.Resource, Config: hcl.EmptyBody(), DeclRange: block.DeclRange, TypeRange: block.DeclRange,
			ProviderConfigRef: addrs.LocalProviderConfig{LocalName: block.Target.Resource.ImpliedProvider()},
		}
		if block.ProviderConfigRef != nil {
			r.ProviderConfigRef = *block.ProviderConfigRef
		}
		b.generatedBlock(block.Target, r)
	}
	for _, p := range b.opts.Imports {
		r := p.Addr.Resource.Resource
		b.generatedBlock(p.Addr.ConfigResource(), &configs.Resource{
			Addr: r, Config: hcl.EmptyBody(), ProviderConfigRef: addrs.LocalProviderConfig{LocalName: r.ImpliedProvider()},
		})
	}
}

func (b *builder) generatedBlock(target addrs.ConfigResource, r *configs.Resource) {
	config := b.config.Descendant(target.Module)
	if config == nil || config.Module.Resources[target.Resource] != nil {
		return
	}
	provider, configured := b.providerOf(config, r.ProviderConfigRef, target.String())
	schema := b.schemaOf(r, provider)
	if schema == nil {
		return
	}
	v := b.graph.add(target.String()+generateSuffix, func() tfdiags.Diagnostics {
		inst, diags := b.providers.ensure(provider)
		if diags.HasErrors() {
			return diags
		}
		for _, p := range b.imports.all() {
			if p.addr.ConfigResource().String() != target.String() || p.addr.Resource.Key != addrs.NoKey || b.importFor(p.addr) == nil {
				continue
			}
			b.objects.expand(p.addr.ContainingResource(), expansion{mode: repeatNone, keys: []addrs.InstanceKey{addrs.NoKey}})
			n := b.node(p.addr, config, r, repetition{}, inst, schema)
			diags = append(diags, n.withSlot(func() tfdiags.Diagnostics { return n.planGenerated(p).WithAddress(n.text) })...)
		}
		return diags
	})
	b.graph.connect(v, configured)
}

// planGenerated imports the node's object and plans it with the generated block.
func (n *node) planGenerated(p *pendingImport) tfdiags.Diagnostics {
	obj, importing, diags := n.importObject(p)
	if diags.HasErrors() {
		return diags
	}
	diags = append(diags, n.save(n.state, obj)...)
	text, moreDiags := n.generate(obj)
	diags = append(diags, moreDiags...)
	if diags.HasErrors() {
		return diags
	}
	file, bad := hclsyntax.ParseConfig([]byte(text), "generated.tf", hcl.InitialPos)
	diags = diags.Append(bad)
	if diags.HasErrors() {
		return diags
	}
	body := file.Body.(*hclsyntax.Body).Blocks[0].Body //nolint:forcetypeassert // the native syntax has this type
	written := *n.block
	written.Config = body
	inner := *n
	inner.block = &written
	planned, moreDiags := inner.planChange(obj, replaceReason{})
	diags = append(diags, moreDiags...)
	if planned.change == nil {
		return diags
	}
	planned.change.Importing, planned.change.GeneratedConfig = importing, text
	n.changes.add(planned.change)
	n.objects.set(n.addr, n.visible(planned.obj.Value, planned.obj.SensitivePaths))
	return diags
}

// generate returns the generated block of an object. For Terraform, a provider that supports
// generation returns the configuration. Otherwise the block has the configurable attributes.
// Sensitive attributes are null.
func (n *node) generate(obj *states.ResourceInstanceObject) (string, tfdiags.Diagnostics) {
	config := n.configurable(obj.Value)
	var diags tfdiags.Diagnostics
	if n.terraform() && n.provider.schema.response.ServerCapabilities.GenerateResourceConfig {
		resp := call(n.ctx, n.Engine, "GenerateResourceConfig", n.text, n.provider.GenerateResourceConfig,
			provider.GenerateResourceConfigRequest{TypeName: n.addr.Resource.Resource.Type, State: obj.Value})
		diags = n.providerDiags(resp.Diagnostics)
		if diags.HasErrors() {
			return "", diags
		}
		if config = valueOrNull(resp.Config, n.schema.ty); config.IsNull() {
			config = n.schema.Body.EmptyValue()
		}
	}
	file := hclwrite.NewEmptyFile()
	block := file.Body().AppendNewBlock("resource", []string{n.addr.Resource.Resource.Type, n.addr.Resource.Resource.Name})
	writer := lang.Writer{Instead: func(attr *configschema.Attribute, _ cty.Path, _ cty.Value) (hclwrite.Tokens, bool) {
		if !attr.Sensitive {
			return nil, false
		}
		return hclwrite.TokensForValue(cty.NullVal(cty.DynamicPseudoType)), true
	}}
	writer.Body(block.Body(), n.schema.Body, nil, config)
	return string(hclwrite.Format(file.Bytes())), diags
}

// configurable returns the configurable part of an object: null replaces attributes that only the
// provider sets, and an id and empty strings that the provider may have set.
func (n *node) configurable(v cty.Value) cty.Value {
	v = n.priorAsConfig(v)
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if len(path) == 0 || v.IsNull() || !isWhole(n.schema.Body, path) {
			return v, nil
		}
		attr := n.schema.Body.EnclosingAttribute(path)
		if attr == nil {
			return v, nil
		}
		if name, _ := path[len(path)-1].(cty.GetAttrStep); len(path) == 1 && name.Name == "id" && attr.Computed && attr.Optional {
			return cty.NullVal(v.Type()), nil
		}
		if v.Type() == cty.String && attr.Computed && v.AsString() == "" {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

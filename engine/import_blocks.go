package engine

import (
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// importBlocks adds vertices that evaluate the import blocks. The imported resources
// wait for them. Before a destroy, Terraform evaluates the blocks, but imports nothing.
func (b *builder) importBlocks() {
	if b.op == applying || b.op == planning && (b.opts.Mode != plans.NormalMode || b.importing() || b.opts.beforeDestroy && b.options.Flavor == OpenTofu) {
		return // the blocks have no effect
	}
	for i, block := range b.config.Module.Imports {
		if b.op == validating && b.options.Flavor == OpenTofu && !b.declaresBlock(block.Target) {
			continue // the plan reports that the resource is missing
		}
		target := block.Target.String()
		v := b.graph.add("import of "+target+" ("+strconv.Itoa(i+1)+")", func() tfdiags.Diagnostics { return b.evalImport(block, i) })
		b.needsExpr(v, b.config, block.ForEach)
		b.needsExpr(v, b.config, block.ID)
		b.needsExpr(v, b.config, block.Identity)
		refs, _ := lang.ReferencesInExpr(block.To) // the keys may have references, too
		for _, ref := range refs {
			switch ref.Subject.(type) {
			case addrs.InputVariable, addrs.LocalValue:
				b.needs(v, b.config, []lang.Reference{ref}, false)
			}
		}
		if b.op == validating {
			continue
		}
		if _, configured := b.blocks[target]; configured {
			b.graph.connect(b.graph.get(target), v)
		}
		b.graph.connect(b.graph.get(target+generateSuffix), v)
	}
}

// evalImport evaluates the import block at index in the configuration, and adds its imports.
func (w *walk) evalImport(block *configs.Import, index int) tfdiags.Diagnostics {
	s := w.scope(addrs.RootModuleInstance, w.config)
	x, diags := s.expandImport(block.ForEach)
	for _, k := range x.keys {
		p, moreDiags := s.repeated(x.repetition(k)).evalOneImport(block)
		diags = append(diags, moreDiags...)
		if p == nil || diags.HasErrors() {
			continue
		}
		p.index = index
		if !w.imports.add(p, w.options.Flavor == Terraform) {
			diags = append(diags, errorAt(block.DeclRange, "Duplicate import configuration for "+strconv.Quote(p.addr.String()), "There is another import to "+p.addr.String()+". Each address can have only one import.")...)
		}
	}
	return diags
}

// evalOneImport evaluates one import of a block. It returns nil if nothing is imported, and
// always during validation. OpenTofu evaluates the address only in the plan.
func (s *scope) evalOneImport(block *configs.Import) (*pendingImport, tfdiags.Diagnostics) {
	where := block.DeclRange
	p := &pendingImport{identity: cty.NilVal, where: &where}
	var diags tfdiags.Diagnostics
	if s.op == planning || s.options.Flavor == Terraform {
		if p.addr, diags = s.importAddress(block); diags.HasErrors() {
			return nil, diags
		}
	}
	if block.ID != nil {
		p.id, p.diags = s.importID(block.ID)
	} else {
		p.identity, p.diags = s.expr(block.Identity, cty.DynamicPseudoType)
	}
	switch {
	case s.op == validating:
		diags = append(diags, p.diags...)
		if block.Identity != nil && !diags.HasErrors() {
			diags = append(diags, s.validateIdentity(p.identity, block)...)
		}
		return nil, diags
	case block.ID != nil && p.id == "" && !p.diags.HasErrors():
		return nil, diags // OpenTofu ignores an empty ID
	}
	return p, diags
}

// validateIdentity checks the identity of an import block. Terraform's validation accepts an
// identity for a type without identities.
func (s *scope) validateIdentity(identity cty.Value, block *configs.Import) tfdiags.Diagnostics {
	config, resource := s.blockAt(block.Target)
	if resource == nil {
		return nil
	}
	schema := s.schema(s.ctx, config.ProviderFor(resource.ProviderConfigRef.LocalName)).managed[resource.Addr.Type]
	if schema == nil || schema.Identity == nil && s.options.Flavor == Terraform { // the graph reports unknown types
		return nil
	}
	_, diags := s.importIdentity(identity, schema, resource.Addr.Type, &block.DeclRange)
	return diags.WithAddress(block.Target.String())
}

// importAddress evaluates the address of an import block.
func (s *scope) importAddress(block *configs.Import) (addrs.AbsResourceInstance, tfdiags.Diagnostics) {
	var diags tfdiags.Diagnostics
	known := true
	addr, problems := block.Address(func(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
		key, moreDiags := s.importKey(expr)
		diags = append(diags, moreDiags...)
		known = known && key.IsKnown()
		return key, nil
	})
	switch {
	case diags.HasErrors() || s.op == validating && !known: // the address is not complete
		return addr, diags
	case problems.HasErrors():
		return addr, diags.Append(problems)
	case s.options.Flavor == Terraform:
		return addr, append(diags, s.checkImportKey(addr, block)...)
	}
	return addr, diags
}

// importKey evaluates a key in the address of an import block. In Terraform, the key may refer only
// to each.key and each.value.
func (s *scope) importKey(expr hcl.Expression) (cty.Value, tfdiags.Diagnostics) {
	if s.options.Flavor == OpenTofu {
		key, diags := s.expr(expr, cty.DynamicPseudoType)
		if _, ok := addrs.ParseKey(key); !ok && !diags.HasErrors() {
			diags = append(diags, errorAt(expr.Range(), "Import block 'to' address contains an invalid key", "A string or a whole number is required. It must be known, not null and not sensitive.")...)
		}
		return key, diags
	}
	ctx := &hcl.EvalContext{}
	if s.rep.key != cty.NilVal {
		ctx.Variables = map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": s.rep.key, "value": s.rep.value})}
	}
	key, problems := expr.Value(ctx)
	diags := tfdiags.Diagnostics{}.Append(problems)
	if key.IsMarked() && !diags.HasErrors() {
		diags = errorAt(expr.Range(), "Invalid index expression", "The key is sensitive or ephemeral, and it would be visible in the address of the object.")
	}
	return key, diags
}

// checkImportKey checks that the key of the instance is of the kind that count or for_each of its
// block requires.
func (s *scope) checkImportKey(addr addrs.AbsResourceInstance, block *configs.Import) tfdiags.Diagnostics {
	_, resource := s.blockAt(block.Target)
	if resource == nil {
		return nil
	}
	bad := func(detail string) tfdiags.Diagnostics {
		return errorAt(block.To.Range(), "Invalid import 'to' expression", block.Target.String()+detail)
	}
	switch addr.Resource.Key.(type) {
	case addrs.IntKey:
		if resource.Count == nil {
			return bad(" has no count, so the key in its address cannot be a number.")
		}
	case addrs.StringKey:
		if resource.ForEach == nil {
			return bad(" has no for_each, so the key in its address cannot be a string.")
		}
	default:
		if resource.Count != nil || resource.ForEach != nil {
			return bad(" has several instances, so its address needs a key.")
		}
	}
	return nil
}

// expandImport evaluates the for_each of an import block. Unlike that of other blocks, its value may be
// a tuple, and for Terraform any collection, even a sensitive one, or null, which imports nothing. During
// validation, the value may be unknown (in OpenTofu, only with a permitted type), or a set with unknown
// elements.
func (s *scope) expandImport(forEach hcl.Expression) (expansion, tfdiags.Diagnostics) {
	if forEach == nil {
		return s.expand(nil, nil, nil)
	}
	v, diags := s.expr(forEach, cty.DynamicPseudoType)
	if diags.HasErrors() {
		return expansion{}, diags
	}
	terraform := s.options.Flavor == Terraform
	var marks cty.ValueMarks
	if terraform && !lang.Carries(v, lang.Ephemeral) {
		v, marks = v.Unmark()
	}
	ty := v.Type()
	switch {
	case v.IsMarked():
	case !v.IsKnown() || ty.IsSetType() && !v.IsWhollyKnown():
		if s.op == validating && (terraform || ty == cty.DynamicPseudoType || ty.IsTupleType() || ty.IsMapType() || ty.IsObjectType() || ty.IsSetType()) {
			return expansion{}, diags
		}
	case v.IsNull():
		if terraform {
			return expansion{}, diags
		}
	case terraform && v.CanIterateElements(), ty.IsTupleType():
		return eachElement(v, marks), diags
	}
	return s.expandForEach(forEach)
}

// eachElement returns an expansion with an instance for each element and numbers as keys.
// each.value has the marks.
func eachElement(v cty.Value, marks cty.ValueMarks) expansion {
	x := expansion{mode: repeatEach, each: map[addrs.InstanceKey]repetition{}}
	for key, value := range v.Elements() {
		k := addrs.IntKey(len(x.keys))
		x.keys = append(x.keys, k)
		x.each[k] = repetition{key: key, value: value.WithMarks(marks)}
	}
	return x
}

func (s *scope) importID(expr hcl.Expression) (string, tfdiags.Diagnostics) {
	v, diags := s.expr(expr, cty.String)
	if diags.HasErrors() {
		return "", diags
	}
	bad := func(detail string) (string, tfdiags.Diagnostics) {
		return "", append(diags, errorAt(expr.Range(), "Invalid import id argument", detail)...)
	}
	forbidden := s.forbiddenMark(v)
	v, _ = v.Unmark()
	switch {
	case v.IsNull():
		return bad("The import ID cannot be null.")
	case !v.IsKnown() && s.op == validating:
		return "", diags
	case !v.IsKnown():
		return bad("The import ID is known only after apply. Apply the resources that it depends on first.")
	case forbidden != "":
		return bad("The import ID cannot be " + forbidden + ".")
	case v.AsString() == "" && s.options.Flavor == Terraform:
		return bad("The import ID is empty.")
	}
	return v.AsString(), diags
}

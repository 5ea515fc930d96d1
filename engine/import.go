package engine

import (
	"strconv"
	"sync/atomic"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// pendingImport is an object to take over.
type pendingImport struct {
	addr     addrs.AbsResourceInstance
	id       string
	identity cty.Value // cty.NilVal for an import by id
	// command tells that it was asked for by command: such an import does no
	// more than that.
	command bool
	where   *hcl.Range
	// wrong is why there is nothing to import by. It is said where the object is
	// planned, for the plan of others goes on.
	wrong tfdiags.Diagnostics
	// seen tells that there is an instance at the address.
	seen atomic.Bool
}

// importFor is what is to be imported to an address that has no object yet.
func (w *walk) importFor(addr addrs.AbsResourceInstance) *pendingImport {
	for _, p := range w.imports {
		if !p.addr.Equal(addr) {
			continue
		}
		p.seen.Store(true)
		if p.command || w.state.ResourceInstanceObject(addr, states.CurrentGen) == nil {
			return p
		}
	}
	return nil
}

// unseenImports is an error for each import to where nothing is configured.
func (w *walk) unseenImports() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, p := range w.imports {
		if p.seen.Load() {
			continue
		}
		d := tfdiags.Diagnostics{}.Errorf("", "Configuration for import target does not exist",
			"The configuration for the given import target %s does not exist. All target instances must have an associated configuration to be imported.", p.addr)
		d[0].Subject = p.where
		diags = append(diags, d...)
	}
	return diags
}

// importObject is CHECKS §12: ask for the object, then read it. Nil is for a command
// that found nothing, which it does not mind.
func (n *node) importObject(p *pendingImport) (*states.ResourceInstanceObject, *plans.Importing, tfdiags.Diagnostics) {
	if p.wrong.HasErrors() {
		return nil, nil, p.wrong
	}
	typeName := n.addr.Resource.Resource.Type
	req := provider.ImportResourceStateRequest{TypeName: typeName, ID: p.id, ClientCapabilities: offered, Identity: p.identity}
	if p.identity == cty.NilVal {
		req.Identity = n.identityOrNull(cty.NilVal)
	} else {
		identity, problem := n.importIdentity(p)
		if problem.HasErrors() {
			return nil, nil, problem
		}
		req.Identity, p.identity = identity, identity
	}
	resp := call(n.ctx, n.Engine, "ImportResourceState", n.text, n.provider.ImportResourceState, req)
	diags := p.wrong
	if !p.command {
		diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	}
	diags = append(diags, n.said(resp.Diagnostics)...)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	diags = append(diags, n.checkImported(p, resp.ImportedResources)...)
	if diags.HasErrors() || len(resp.ImportedResources) == 0 {
		return nil, nil, diags
	}
	obj, said := n.readImported(p, resp.ImportedResources[0])
	diags = append(diags, said...)
	for i, more := range resp.ImportedResources[1:] {
		if diags.HasErrors() {
			break
		}
		if !p.command {
			return nil, nil, append(diags, n.tooManyImported(p, len(resp.ImportedResources))...)
		}
		diags = append(diags, n.importAnother(p, more, i+1)...)
	}
	return obj, &plans.Importing{ID: p.id, Identity: p.identity}, diags
}

// checkImported judges what was found before any of it is read.
func (n *node) checkImported(p *pendingImport, found []provider.ImportedResource) tfdiags.Diagnostics {
	switch {
	case len(found) == 0 && !p.command:
		return n.errorf("Import returned no resources", "The provider imported nothing for %s: it returned no object for %s.%s", n.text, p.what(), providerBug)
	case len(found) > 1 && !p.command && !n.terraform(): // Terraform says so after the read
		return n.tooManyImported(p, len(found))
	}
	for _, f := range found {
		if f.TypeName == "" {
			return n.errorf("import of "+n.text+" didn't set type", "The provider returned an object without a type.%s", providerBug)
		}
	}
	if len(found) > 0 && p.command && n.state.ResourceInstanceObject(n.addr, states.CurrentGen) != nil {
		return n.errorf("Resource already managed by "+n.options.Flavor.String(),
			"%s is already managing a remote object for %s. To import to this address you must first remove the existing object from the state.", n.options.Flavor, n.text)
	}
	return nil
}

func (n *node) tooManyImported(p *pendingImport, count int) tfdiags.Diagnostics {
	return n.errorf("Multiple import states not supported", "The provider returned %d objects for %s of %s, and only one can be imported.", count, p.what(), n.text)
}

// readImported is an object that was found, as it is read.
func (n *node) readImported(p *pendingImport, found provider.ImportedResource) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	state := null(found.State, n.schema.ty)
	if n.terraform() {
		if p.identity != cty.NilVal && (found.Identity == cty.NilVal || found.Identity.IsNull()) {
			return nil, n.errorf("import of "+n.text+" didn't return an identity", "The provider did not return the identity of the object that it imported.%s", providerBug)
		}
		var diags tfdiags.Diagnostics
		for _, path := range writeOnlySet(n.schema.Body, state) {
			diags = append(diags, n.blame("Import returned a non-null value for a write-only attribute", "returned a value for the write-only attribute %s%s.", n.text, dotted(path))...)
		}
		if diags.HasErrors() {
			return nil, diags
		}
	}
	id := found.Identity
	if n.schema.identity == cty.NilType || (id != cty.NilVal && id.IsNull()) {
		id = cty.NilVal
	}
	obj, diags := n.refresh(&states.ResourceInstanceObject{Value: state, Identity: id, Private: found.Private, Status: states.ObjectReady})
	switch {
	case diags.HasErrors():
		return nil, diags
	case state.IsNull() && !p.command && (p.identity == cty.NilVal || !n.terraform()):
		return nil, append(diags, n.errorf("Import returned null resource", "While attempting to import %s with %s, the provider returned an instance with no state.", n.text, p.what())...)
	case obj.Value.IsNull():
		return nil, append(diags, n.errorf("Cannot import non-existent remote object", "While attempting to import an existing object to %s, the provider detected that no object exists with %s. Only pre-existing objects can be imported; check that what is given is correct and that it is associated with the provider's configured region or endpoint, or use \"apply\" to create a new remote object for this resource.", quoted(n.text), p.what())...)
	}
	return obj, diags
}

// importAnother takes over one more object of a command, beside the address that
// was asked for.
func (n *node) importAnother(p *pendingImport, found provider.ImportedResource, number int) tfdiags.Diagnostics {
	other := *n
	other.addr.Resource.Resource.Name += "-" + strconv.Itoa(number)
	other.text = other.addr.String()
	obj, diags := other.readImported(p, found)
	if diags.HasErrors() {
		return diags
	}
	return append(diags, other.save(n.state, obj)...)
}

func (p *pendingImport) what() string {
	if p.identity == cty.NilVal {
		return "the id " + quoted(p.id)
	}
	return "the given identity"
}

// importIdentity is the given identity in the type of its schema: what is
// optional may be left out.
func (n *node) importIdentity(p *pendingImport) (cty.Value, tfdiags.Diagnostics) {
	fail := func(summary, detail string) (cty.Value, tfdiags.Diagnostics) {
		d := n.errorf(summary, "%s", detail)
		d[0].Subject = p.where
		return cty.NilVal, d
	}
	bad := func(detail string) (cty.Value, tfdiags.Diagnostics) {
		return fail("Invalid import identity argument", detail)
	}
	if n.schema.Identity == nil {
		return fail("Unable to determine identity schema for import identity", "The resource type "+n.addr.Resource.Resource.Type+" has no identity: import the object by its id.")
	}
	v := p.identity
	switch {
	case lang.Carries(v, lang.Sensitive):
		return bad("The import identity cannot be sensitive.")
	case lang.Carries(v, lang.Ephemeral):
		return bad("The import identity cannot be ephemeral.")
	case v.IsNull():
		return bad("The import identity cannot be null.")
	case !v.IsWhollyKnown():
		return bad("The import block \"identity\" argument depends on resource attributes that cannot be determined until apply, so it is not known which object is to be imported.")
	case !v.Type().IsObjectType() && !v.Type().IsMapType():
		return bad("The import identity has to be an object.")
	}
	return n.completeIdentity(v, func(detail string) (cty.Value, tfdiags.Diagnostics) { return fail("Incorrect value type", detail) })
}

// completeIdentity has null for what is optional and left out; what the identity does
// not have is left out, as in every conversion to an object type.
func (n *node) completeIdentity(v cty.Value, bad func(string) (cty.Value, tfdiags.Diagnostics)) (cty.Value, tfdiags.Diagnostics) {
	given := v.AsValueMap()
	vals := map[string]cty.Value{}
	for name, attr := range n.schema.Identity.Attributes {
		got, ok := given[name]
		switch {
		case !ok && attr.Required:
			return bad("The import identity lacks the attribute " + quoted(name) + ", which is required.")
		case !ok:
			vals[name] = cty.NullVal(attr.Type)
			continue
		}
		converted, err := convert.Convert(got, attr.Type)
		if err != nil {
			return bad("The attribute " + quoted(name) + " of the import identity is unsuitable: " + errorText(err) + ".")
		}
		vals[name] = converted
	}
	return cty.ObjectVal(vals), nil
}

// collectImports evaluates the import blocks of the root.
func (w *walk) collectImports() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, target := range w.opts.Imports {
		p := &pendingImport{addr: target.Addr, id: target.ID, identity: target.Identity, command: true}
		w.imports = append(w.imports, p)
	}
	for _, block := range w.config.Module.Imports {
		diags = append(diags, w.collectImport(block)...)
	}
	return diags
}

func (w *walk) collectImport(block *configs.Import) tfdiags.Diagnostics {
	s := w.scope(addrs.RootModuleInstance, w.config)
	x, diags := s.expand(nil, block.ForEach)
	for _, k := range x.keys {
		inner := s.repeated(x.repetition(k))
		addr, failed := block.Address(func(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
			v, said := inner.expr(expr, cty.DynamicPseudoType)
			diags = append(diags, said...)
			return v, nil
		})
		diags = diags.Append(failed)
		if failed.HasErrors() || diags.HasErrors() {
			continue
		}
		where := block.DeclRange
		p := &pendingImport{addr: addr, identity: cty.NilVal, where: &where}
		if block.ID != nil {
			p.id, p.wrong = inner.importID(block.ID)
			if p.id == "" && !p.wrong.HasErrors() {
				continue // OpenTofu takes an empty id for none
			}
		} else {
			p.identity, p.wrong = inner.expr(block.Identity, cty.DynamicPseudoType)
		}
		w.imports = append(w.imports, p)
	}
	return diags
}

func (s *scope) importID(expr hcl.Expression) (string, tfdiags.Diagnostics) {
	v, diags := s.expr(expr, cty.String)
	if diags.HasErrors() {
		return "", diags
	}
	bad := func(detail string) (string, tfdiags.Diagnostics) {
		return "", append(diags, at(expr.Range(), "Invalid import id argument", detail)...)
	}
	switch {
	case lang.Carries(v, lang.Sensitive):
		return bad("The import ID cannot be sensitive.")
	case lang.Carries(v, lang.Ephemeral):
		return bad("The import ID cannot be ephemeral.")
	case v.IsNull():
		return bad("The import ID cannot be null.")
	case !v.IsKnown():
		return bad("The import block \"id\" argument depends on resource attributes that cannot be determined until apply, so the object to import cannot be found. To work around this, apply first what the id depends on.")
	case v.AsString() == "" && s.walk.options.Flavor == Terraform:
		return bad("The import ID value evaluates to an empty string, please provide a non-empty value.")
	}
	return v.AsString(), diags
}

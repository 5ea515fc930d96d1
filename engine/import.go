package engine

import (
	"strconv"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

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
			"There is an object at %s in the state. Remove it from there first, if another one is to take its place.", n.text)
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
		return nil, append(diags, n.errorf("Import returned null resource", "The provider found %s for %s, and gave no object.", p.what(), n.text)...)
	case obj.Value.IsNull():
		return nil, append(diags, n.errorf("Cannot import non-existent remote object", "The provider finds no object with %[2]s, so there is nothing to import to %[1]s. Check what is given, and whether the provider is configured for the place where the object is.", quoted(n.text), p.what())...)
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
		return bad("The identity has values that are known after apply only, so it does not say yet which object is to be imported. Apply first what it depends on.")
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

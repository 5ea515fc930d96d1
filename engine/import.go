package engine

import (
	"slices"
	"strconv"
	"sync"
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

// importObject imports the object and reads it (CHECKS §12). It returns nil if an
// import command finds no object, which is not an error there.
func (n *node) importObject(p *pendingImport) (*states.ResourceInstanceObject, *plans.Importing, tfdiags.Diagnostics) {
	if p.diags.HasErrors() {
		return nil, nil, p.diags
	}
	typeName := n.addr.Resource.Resource.Type
	req := provider.ImportResourceStateRequest{TypeName: typeName, ID: p.id, ClientCapabilities: capabilities, Identity: p.identity}
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
	diags := p.diags
	if !p.command {
		diags = append(diags, n.checkDeferred(resp.Deferred, resp.Diagnostics.HasErrors())...)
	}
	diags = append(diags, n.providerDiags(resp.Diagnostics)...)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	diags = append(diags, n.checkImported(p, resp.ImportedResources)...)
	if diags.HasErrors() || len(resp.ImportedResources) == 0 {
		return nil, nil, diags
	}
	obj, moreDiags := n.readImported(p, resp.ImportedResources[0])
	diags = append(diags, moreDiags...)
	for i, more := range resp.ImportedResources[1:] {
		if diags.HasErrors() {
			break
		}
		if !p.command {
			return nil, nil, append(diags, n.tooManyImported(p, len(resp.ImportedResources))...)
		}
		diags = append(diags, n.importAdditional(p, more, i+1)...)
	}
	return obj, &plans.Importing{ID: p.id, Identity: p.identity}, diags
}

// checkImported checks the imported objects before they are read.
func (n *node) checkImported(p *pendingImport, found []provider.ImportedResource) tfdiags.Diagnostics {
	switch {
	case len(found) == 0 && !p.command:
		return n.errorf("Import returned no resources", "The provider returned no object for %s, imported by %s.%s", n.text, p.what(), providerBug)
	case len(found) > 1 && !p.command && !n.terraform(): // Terraform reports it after the read
		return n.tooManyImported(p, len(found))
	}
	for _, f := range found {
		if f.TypeName == "" {
			return n.errorf("import of "+n.text+" didn't set type", "The provider returned an object without a type.%s", providerBug)
		}
	}
	if len(found) > 0 && p.command && n.state.ResourceInstanceObject(n.addr, states.CurrentGen) != nil {
		return n.errorf("Resource already managed by "+n.options.Flavor.String(),
			"The state already has an object at %s. Remove it from the state to import another one.", n.text)
	}
	return nil
}

func (n *node) tooManyImported(p *pendingImport, count int) tfdiags.Diagnostics {
	return n.errorf("Multiple import states not supported", "The provider returned %d objects for %s of %s. Only one can be imported.", count, p.what(), n.text)
}

// readImported reads an imported object.
func (n *node) readImported(p *pendingImport, found provider.ImportedResource) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	state := valueOrNull(found.State, n.schema.ty)
	if n.terraform() {
		if p.identity != cty.NilVal && (found.Identity == cty.NilVal || found.Identity.IsNull()) {
			return nil, n.errorf("import of "+n.text+" didn't return an identity", "The provider did not return the identity of the object that it imported.%s", providerBug)
		}
		var diags tfdiags.Diagnostics
		for _, path := range writeOnlySet(n.schema.Body, state) {
			diags = append(diags, n.providerErrorf("Import returned a non-null value for a write-only attribute", "returned a value for the write-only attribute %s%s.", n.text, dotted(path))...)
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
		return nil, append(diags, n.errorf("Import returned null resource", "The provider found %s for %s, but returned null.", p.what(), n.text)...)
	case obj.Value.IsNull():
		return nil, append(diags, n.errorf("Cannot import non-existent remote object", "No object with %[2]s exists, so nothing can be imported to %[1]s. Check the import and the configuration of the provider.", quoted(n.text), p.what())...)
	}
	return obj, diags
}

// importAdditional imports another object of an import command, besides the one at the
// given address.
func (n *node) importAdditional(p *pendingImport, found provider.ImportedResource, number int) tfdiags.Diagnostics {
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

// importIdentity returns the given identity, converted to the type of its schema.
// Optional attributes may be missing.
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
		return fail("Unable to determine identity schema for import identity", "The resource type "+n.addr.Resource.Resource.Type+" has no identity. Import the object by its id.")
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
		return bad("The import identity has values that are known only after apply. Apply their resources first.")
	case !v.Type().IsObjectType() && !v.Type().IsMapType():
		return bad("The import identity must be an object.")
	}
	return n.completeIdentity(v, func(detail string) (cty.Value, tfdiags.Diagnostics) { return fail("Incorrect value type", detail) })
}

// completeIdentity sets missing optional attributes to null and removes unknown ones,
// like every conversion to an object type.
func (n *node) completeIdentity(v cty.Value, bad func(string) (cty.Value, tfdiags.Diagnostics)) (cty.Value, tfdiags.Diagnostics) {
	given := v.AsValueMap()
	vals := map[string]cty.Value{}
	for name, attr := range n.schema.Identity.Attributes {
		got, ok := given[name]
		switch {
		case !ok && attr.Required:
			return bad("The import identity has no value for the attribute " + quoted(name) + ", which is required.")
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

// pendingImport is an object to import.
type pendingImport struct {
	addr     addrs.AbsResourceInstance
	id       string
	identity cty.Value // cty.NilVal for an import by id
	// command means that the import is by the import command, which only imports.
	command bool
	where   *hcl.Range
	// diags are errors of the import block. They are reported when the object is
	// planned, so that others are planned too.
	diags tfdiags.Diagnostics
	// used means that there is an instance at the address, missing that the block has none.
	used, missing atomic.Bool
}

// importSet holds the pending imports by address, as far as the import blocks are
// evaluated.
type importSet struct {
	mu sync.Mutex
	m  map[string]*pendingImport
}

// add adds an import. It reports false, and changes nothing, if the address has another
// import.
func (s *importSet) add(p *pendingImport) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := p.addr.String()
	if s.m[key] != nil {
		return false
	}
	if s.m == nil {
		s.m = map[string]*pendingImport{}
	}
	s.m[key] = p
	return true
}

func (s *importSet) get(addr addrs.AbsResourceInstance) *pendingImport {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.m) == 0 {
		return nil
	}
	return s.m[addr.String()]
}

// all returns the imports sorted by address.
func (s *importSet) all() []*pendingImport {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*pendingImport, 0, len(s.m))
	for _, key := range sortedKeys(s.m) {
		out = append(out, s.m[key])
	}
	return out
}

// of returns the imports to a block sorted by address.
func (s *importSet) of(r addrs.ConfigResource) []*pendingImport {
	return slices.DeleteFunc(s.all(), func(p *pendingImport) bool { return !p.addr.ConfigResource().Equal(r) })
}

// importFor returns the import for an address that has no object yet, or nil.
func (w *walk) importFor(addr addrs.AbsResourceInstance) *pendingImport {
	p := w.imports.get(addr)
	if p == nil {
		return nil
	}
	p.used.Store(true)
	if w.opts.unconditional && !p.diags.HasErrors() { // nothing is imported to be destroyed
		return nil
	}
	if p.command || w.state.ResourceInstanceObject(addr, states.CurrentGen) == nil {
		return p
	}
	return nil
}

// missingInstances finds the imports to instances of the block that do not exist. Terraform
// reports the first one that has no object yet, and does not plan the block; OpenTofu reports
// them all after the plan.
func (b *block) missingInstances(nodes []*node) tfdiags.Diagnostics {
	for _, p := range b.imports.of(b.addr()) {
		switch {
		case slices.ContainsFunc(nodes, func(n *node) bool { return n.addr.Equal(p.addr) }):
		case b.options.Flavor == OpenTofu:
			p.missing.Store(true)
		case p.command || b.state.ResourceInstanceObject(p.addr, states.CurrentGen) == nil:
			return p.missingTarget()
		}
	}
	return nil
}

// unusedImports returns an error for each import to an address that the configuration does
// not have. It omits instances of blocks that were not planned.
func (w *walk) unusedImports() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, p := range w.imports.all() {
		if p.missing.Load() || !p.used.Load() && !w.declaresBlock(p.addr.ConfigResource()) {
			diags = append(diags, p.missingTarget()...)
		}
	}
	return diags
}

func (p *pendingImport) missingTarget() tfdiags.Diagnostics {
	return missingTarget(p.addr.String(), p.where)
}

// importsWithoutBlock returns an error for each import to a block that the configuration
// does not have. Terraform reports them after the plan.
func (w *walk) importsWithoutBlock() tfdiags.Diagnostics {
	if w.options.Flavor == Terraform || w.opts.Mode != plans.NormalMode || w.importing() || w.opts.GenerateConfig {
		return nil
	}
	var diags tfdiags.Diagnostics
	for _, block := range w.config.Module.Imports {
		if !w.declaresBlock(block.Target) {
			diags = append(diags, missingTarget(block.Target.String(), &block.DeclRange)...)
		}
	}
	return diags
}

func (w *walk) declaresBlock(r addrs.ConfigResource) bool {
	c := w.config.Descendant(r.Module)
	return c != nil && c.Module.Resources[r.Resource] != nil
}

func missingTarget(address string, where *hcl.Range) tfdiags.Diagnostics {
	d := tfdiags.Diagnostics{}.Errorf("", "Configuration for import target does not exist",
		"There is no configuration for %s. Add its block or correct the address.", address)
	d[0].Subject = where
	return d
}

// commandImports adds the imports of the options.
func (w *walk) commandImports() {
	for _, target := range w.opts.Imports {
		w.imports.add(&pendingImport{addr: target.Addr, id: target.ID, identity: target.Identity, command: true})
	}
}

// importBlocks adds vertices that evaluate the import blocks. The imported resources
// wait for them. Before a destroy, Terraform evaluates the blocks, but imports nothing.
func (b *builder) importBlocks() {
	if b.op != planning || b.opts.Mode != plans.NormalMode || b.importing() || b.opts.unconditional && b.options.Flavor == OpenTofu {
		return // the blocks have no effect
	}
	for i, block := range b.config.Module.Imports {
		target := block.Target.String()
		v := b.graph.add("import of "+target+" ("+strconv.Itoa(i+1)+")", func() tfdiags.Diagnostics { return b.evalImport(block) })
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
		if _, configured := b.blocks[target]; configured {
			b.graph.connect(b.graph.get(target), v)
		}
		b.graph.connect(b.graph.get(target+generateSuffix), v)
	}
}

// evalImport evaluates an import block.
func (w *walk) evalImport(block *configs.Import) tfdiags.Diagnostics {
	s := w.scope(addrs.RootModuleInstance, w.config)
	x, diags := s.expandImport(block.ForEach)
	for _, k := range x.keys {
		inner := s.repeated(x.repetition(k))
		addr, failed := block.Address(func(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
			v, moreDiags := inner.expr(expr, cty.DynamicPseudoType)
			diags = append(diags, moreDiags...)
			return v, nil
		})
		diags = diags.Append(failed)
		if failed.HasErrors() || diags.HasErrors() {
			continue
		}
		where := block.DeclRange
		p := &pendingImport{addr: addr, identity: cty.NilVal, where: &where}
		if block.ID != nil {
			p.id, p.diags = inner.importID(block.ID)
			if p.id == "" && !p.diags.HasErrors() {
				continue // OpenTofu ignores an empty id
			}
		} else {
			p.identity, p.diags = inner.expr(block.Identity, cty.DynamicPseudoType)
		}
		if !w.imports.add(p) {
			diags = append(diags, errorAt(block.DeclRange, "Duplicate import configuration for "+quoted(addr.String()), "There is another import to "+addr.String()+". Each address can be imported once only.")...)
		}
	}
	return diags
}

// expandImport evaluates the for_each of an import block. It may be a tuple, and for Terraform
// also a list or null, which imports nothing.
func (s *scope) expandImport(forEach hcl.Expression) (expansion, tfdiags.Diagnostics) {
	if forEach == nil {
		return s.expand(nil, nil)
	}
	v, diags := s.expr(forEach, cty.DynamicPseudoType)
	terraform := s.options.Flavor == Terraform
	switch {
	case diags.HasErrors():
		return expansion{}, diags
	case v.IsMarked() || !v.IsKnown():
		return s.expandForEach(forEach)
	case terraform && v.IsNull():
		return expansion{}, diags
	case v.IsNull() || !v.Type().IsTupleType() && !(terraform && v.Type().IsListType()):
		return s.expandForEach(forEach)
	}
	x := expansion{mode: repeatEach, each: map[addrs.InstanceKey]repetition{}}
	for i, element := range v.AsValueSlice() {
		k := addrs.IntKey(i)
		x.keys = append(x.keys, k)
		x.each[k] = repetition{key: cty.NumberIntVal(int64(i)), value: element}
	}
	return x, diags
}

func (s *scope) importID(expr hcl.Expression) (string, tfdiags.Diagnostics) {
	v, diags := s.expr(expr, cty.String)
	if diags.HasErrors() {
		return "", diags
	}
	bad := func(detail string) (string, tfdiags.Diagnostics) {
		return "", append(diags, errorAt(expr.Range(), "Invalid import id argument", detail)...)
	}
	switch {
	case lang.Carries(v, lang.Sensitive):
		return bad("The import ID cannot be sensitive.")
	case lang.Carries(v, lang.Ephemeral):
		return bad("The import ID cannot be ephemeral.")
	case v.IsNull():
		return bad("The import ID cannot be null.")
	case !v.IsKnown():
		return bad("The import ID is known only after apply. Apply the resources that it depends on first.")
	case v.AsString() == "" && s.walk.options.Flavor == Terraform:
		return bad("The import ID is empty.")
	}
	return v.AsString(), diags
}

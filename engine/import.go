package engine

import (
	"cmp"
	"iter"
	"maps"
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

// importObject imports an object, reads it (docs/checks.md §12), and returns it and the import for
// the plan. If an import command finds no object, that is not an error, and both results are nil;
// additional objects that an import command finds are saved in the state.
func (n *node) importObject(p *pendingImport) (*states.ResourceInstanceObject, *plans.Importing, tfdiags.Diagnostics) {
	if p.diags.HasErrors() {
		return nil, nil, p.diags
	}
	typeName := n.addr.Resource.Resource.Type
	req := provider.ImportResourceStateRequest{TypeName: typeName, ID: p.id, ClientCapabilities: capabilities, Identity: p.identity}
	if p.identity == cty.NilVal {
		req.Identity = n.identityOrNull(cty.NilVal)
	} else {
		identity, problem := n.importIdentity(p.identity, n.schema, typeName, p.where)
		if problem.HasErrors() {
			return nil, nil, problem.WithAddress(n.text)
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
	case slices.ContainsFunc(found, func(f provider.ImportedResource) bool { return f.TypeName == "" }):
		return n.errorf("import of "+n.text+" didn't set type", "The provider returned an object without a type.%s", providerBug)
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

// readImported reads an imported object, and returns an error if the object does not exist.
func (n *node) readImported(p *pendingImport, found provider.ImportedResource) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	state := valueOrNull(found.State, n.schema.ty)
	if n.terraform() {
		if p.identity != cty.NilVal && (found.Identity == cty.NilVal || found.Identity.IsNull()) {
			return nil, n.errorf("import of "+n.text+" didn't return an identity", "The provider did not return the identity of the object that it imported.%s", providerBug)
		}
		var diags tfdiags.Diagnostics
		for path := range n.schema.Body.WriteOnlyValues(state) {
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
		return nil, append(diags, n.errorf("Import returned null resource", "The provider returned a null object for %s, imported by %s.", n.text, p.what())...)
	case obj.Value.IsNull():
		return nil, append(diags, n.errorf("Cannot import non-existent remote object", "No object with %[2]s exists, so nothing can be imported to %[1]s. Check the import and the configuration of the provider.", quoted(n.text), p.what())...)
	}
	return obj, diags
}

// importAdditional reads and saves another object that an import command found, besides the one for
// the given address. The number is appended to the name of the resource.
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
		return "the ID " + quoted(p.id)
	}
	return "the given identity"
}

// importIdentity returns the given identity, converted to the type of its schema.
// Optional attributes may be missing. During validation, it may have unknown values.
func (w *walk) importIdentity(v cty.Value, schema *typeSchema, typeName string, where *hcl.Range) (cty.Value, tfdiags.Diagnostics) {
	fail := func(summary, detail string) (cty.Value, tfdiags.Diagnostics) {
		diags := tfdiags.Diagnostics{}.Errorf("", summary, "%s", detail)
		diags[0].Subject = where
		return cty.NilVal, diags
	}
	bad := func(detail string) (cty.Value, tfdiags.Diagnostics) {
		return fail("Invalid import identity argument", detail)
	}
	if schema.Identity == nil {
		summary := "Unable to determine identity schema for import identity"
		if w.options.Flavor == Terraform {
			summary = "unknown identity type " + quoted(typeName)
		}
		return fail(summary, "The resource type "+typeName+" has no identity. Import the object by its ID.")
	}
	forbidden := w.forbiddenMark(v)
	if w.options.Flavor == Terraform {
		v, _ = v.Unmark()
	} else {
		v, _ = v.UnmarkDeep()
	}
	switch {
	case v.IsNull():
		return bad("The import identity cannot be null.")
	case !v.IsKnown() && w.op == validating:
		return v, nil
	case !v.IsWhollyKnown() && w.op != validating:
		return bad("The import identity has values that are known only after apply. Apply their resources first.")
	case !v.Type().IsObjectType() && !v.Type().IsMapType():
		return bad("The import identity must be an object.")
	}
	identity, diags := completeIdentity(v, schema, func(detail string) (cty.Value, tfdiags.Diagnostics) { return fail("Incorrect value type", detail) })
	switch {
	case diags.HasErrors() || w.op == validating && !v.IsWhollyKnown():
	case forbidden != "":
		return bad("The import identity cannot be " + forbidden + ".")
	case w.op != validating && identity.ContainsMarked(): // Terraform discards only marks of the identity as a whole
		_, marked := identity.UnmarkDeepWithPaths()
		return fail(dotted(marked[0].Path)+": value has marks, so it cannot be serialized", "An attribute of the import identity cannot be sensitive or ephemeral. Remove the mark of a sensitive value with nonsensitive.")
	}
	return identity, diags
}

// completeIdentity converts v to the type of the identity schema. It sets missing attributes that
// are not required to null, and removes attributes that the schema does not have.
func completeIdentity(v cty.Value, schema *typeSchema, bad func(string) (cty.Value, tfdiags.Diagnostics)) (cty.Value, tfdiags.Diagnostics) {
	given := v.AsValueMap()
	vals := map[string]cty.Value{}
	for _, name := range sortedKeys(schema.Identity.Attributes) {
		attr := schema.Identity.Attributes[name]
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
	identity cty.Value // cty.NilVal for an import by ID
	// command means that the import is by the import command, which only imports.
	command bool
	where   *hcl.Range
	// diags are errors of the import block. They are reported when the object is
	// planned, so that other objects are planned too.
	diags tfdiags.Diagnostics
	// index is the position of the import block in the configuration.
	index int
	// used means that there is an instance at the address, and missing means
	// that the block has no such instance.
	used, missing atomic.Bool
}

// importSet holds the pending imports by address. Those of an import block are added when the
// block is evaluated.
type importSet struct {
	mu     sync.Mutex
	m      map[string]*pendingImport
	blocks map[string][]*pendingImport // by the address of the resource block
}

// add adds an import. If the address already has an import, add keeps that of the last block if
// replace is set; otherwise, it changes nothing and reports false.
func (s *importSet) add(p *pendingImport, replace bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, block := p.addr.String(), p.addr.ConfigResource().String()
	if was := s.m[key]; was != nil {
		if !replace || was.index > p.index {
			return replace
		}
		s.blocks[block] = slices.DeleteFunc(s.blocks[block], func(other *pendingImport) bool { return other == was })
	}
	if s.m == nil {
		s.m, s.blocks = map[string]*pendingImport{}, map[string][]*pendingImport{}
	}
	s.m[key] = p
	s.blocks[block] = append(s.blocks[block], p)
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
	return sortedImports(maps.Values(s.m))
}

// of returns the imports to a block, sorted by address.
func (s *importSet) of(r addrs.ConfigResource) []*pendingImport {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.blocks) == 0 {
		return nil
	}
	return sortedImports(slices.Values(s.blocks[r.String()]))
}

func sortedImports(all iter.Seq[*pendingImport]) []*pendingImport {
	return slices.SortedFunc(all, func(a, b *pendingImport) int { return cmp.Compare(a.addr.String(), b.addr.String()) })
}

// importFor returns the import for an address, and marks the import as used. It returns nil if there
// is no import, if the import is that of a block and the address has an object already, or, unless
// the import has errors, before a destroy.
func (w *walk) importFor(addr addrs.AbsResourceInstance) *pendingImport {
	p := w.imports.get(addr)
	if p == nil {
		return nil
	}
	p.used.Store(true)
	if w.opts.beforeDestroy && !p.diags.HasErrors() { // nothing is imported to be destroyed
		return nil
	}
	if p.command || w.state.ResourceInstanceObject(addr, states.CurrentGen) == nil {
		return p
	}
	return nil
}

// missingInstances finds the imports to missing instances of the block. Terraform reports the first
// one that an import command requests or whose address has no object yet, and does not plan the
// block. OpenTofu reports all of them after the plan.
func (b *block) missingInstances(nodes []*node) tfdiags.Diagnostics {
	pending := b.imports.of(b.addr())
	if len(pending) == 0 {
		return nil
	}
	instances := map[string]bool{}
	for _, n := range nodes {
		instances[n.text] = true
	}
	for _, p := range pending {
		switch {
		case instances[p.addr.String()]:
		case b.options.Flavor == OpenTofu:
			p.missing.Store(true)
		case p.command || b.state.ResourceInstanceObject(p.addr, states.CurrentGen) == nil:
			return p.missingTarget()
		}
	}
	return nil
}

// unusedImports returns an error for each import to a missing instance that missingInstances
// recorded and, without targets, for each unused import to a block that the configuration does not
// have.
func (w *walk) unusedImports() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, p := range w.imports.all() {
		if p.missing.Load() || len(w.targets) == 0 && !p.used.Load() && !w.declaresBlock(p.addr.ConfigResource()) {
			diags = append(diags, p.missingTarget()...)
		}
	}
	return diags
}

func (p *pendingImport) missingTarget() tfdiags.Diagnostics {
	return missingTarget(p.addr.String(), p.where)
}

// importsWithoutBlock returns an error for each import block to a resource block that the
// configuration does not have. It returns nil if import blocks have no effect or configuration
// is generated, and for Terraform, which reports these errors after the plan.
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
	_, block := w.blockAt(r)
	return block != nil
}

// blockAt returns the configuration of the module of the address, and the resource block at the
// address; each is nil if it does not exist.
func (w *walk) blockAt(r addrs.ConfigResource) (*configs.Config, *configs.Resource) {
	c := w.config.Descendant(r.Module)
	if c == nil {
		return nil, nil
	}
	return c, c.Module.Resources[r.Resource]
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
		w.imports.add(&pendingImport{addr: target.Addr, id: target.ID, identity: target.Identity, command: true}, false)
	}
}

// forbiddenMark returns the mark that an import ID or identity has and must not have, or "".
// It returns "" for Terraform, which discards the marks of an ID and of an identity as a whole.
func (w *walk) forbiddenMark(v cty.Value) string {
	switch {
	case w.options.Flavor == Terraform:
	case lang.Carries(v, lang.Sensitive):
		return "sensitive"
	case lang.Carries(v, lang.Ephemeral):
		return "ephemeral"
	}
	return ""
}

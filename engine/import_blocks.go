package engine

import (
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
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

// importSet has what is to be imported, by address, as far as the import blocks were
// evaluated.
type importSet struct {
	mu sync.Mutex
	m  map[string]*pendingImport
}

// add reports whether nothing else is imported to the address.
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

// all are the imports in the order of their addresses.
func (s *importSet) all() []*pendingImport {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*pendingImport, 0, len(s.m))
	for _, key := range sortedKeys(s.m) {
		out = append(out, s.m[key])
	}
	return out
}

// importFor is what is to be imported to an address that has no object yet.
func (w *walk) importFor(addr addrs.AbsResourceInstance) *pendingImport {
	p := w.imports.get(addr)
	if p == nil {
		return nil
	}
	p.seen.Store(true)
	if p.command || w.state.ResourceInstanceObject(addr, states.CurrentGen) == nil {
		return p
	}
	return nil
}

// unseenImports is an error for each import to where nothing is configured.
func (w *walk) unseenImports() tfdiags.Diagnostics {
	var diags tfdiags.Diagnostics
	for _, p := range w.imports.all() {
		if p.seen.Load() {
			continue
		}
		d := tfdiags.Diagnostics{}.Errorf("", "Configuration for import target does not exist",
			"There is no configuration of %s. Write its block before the object is imported, or correct the address.", p.addr)
		d[0].Subject = p.where
		diags = append(diags, d...)
	}
	return diags
}

// commandImports are what the options say.
func (w *walk) commandImports() {
	for _, target := range w.opts.Imports {
		w.imports.add(&pendingImport{addr: target.Addr, id: target.ID, identity: target.Identity, command: true})
	}
}

// importBlocks are vertices that evaluate the import blocks, which may refer to
// anything that is known by then. What they speak of waits for them.
func (b *builder) importBlocks() {
	for i, block := range b.config.Module.Imports {
		target := block.Target.String()
		v := b.graph.add("import of "+target+" ("+strconv.Itoa(i+1)+")", func() tfdiags.Diagnostics { return b.evalImport(block) })
		b.needsExpr(v, b.config, block.ForEach)
		b.needsExpr(v, b.config, block.ID)
		b.needsExpr(v, b.config, block.Identity)
		refs, _ := lang.ReferencesInExpr(block.To) // the keys may refer to something, too
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

// evalImport finds what an import block speaks of.
func (w *walk) evalImport(block *configs.Import) tfdiags.Diagnostics {
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
		if !w.imports.add(p) {
			diags = append(diags, at(block.DeclRange, "Duplicate import configuration for "+quoted(addr.String()), "There is another import to "+addr.String()+", and an address can be imported to only once.")...)
		}
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
		return bad("The id is known after apply only, so it does not say yet which object is to be imported. Apply first what it depends on.")
	case v.AsString() == "" && s.walk.options.Flavor == Terraform:
		return bad("The import ID is empty.")
	}
	return v.AsString(), diags
}

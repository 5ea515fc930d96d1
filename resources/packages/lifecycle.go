package packages

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place is part of [lifecycle.Object].
func (p *Package) Place() (*string, lifecycle.Key) { return p.Host, place(p.Name) }

// RootOnly is part of [lifecycle.RootOnly].
func (*Package) RootOnly() string { return "packages" }

// ValidateInputs is part of [runtime.InputValidator].
func (p *Package) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if runtime.PlansCreate(ctx) {
		scope.PlanAnyAccount() // many packages create the user that their service runs as
	}
	return nil
}

// Preflight is part of [lifecycle.Preflighter]. A package that is installed otherwise than
// configured is an error; one that is not available may come with a repository of the same
// run.
func (p *Package) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	s, err := p.shops.find(ctx, scope, p.Manager)
	if err != nil {
		return err
	}
	w := p.wish()
	it, found, err := s.look(ctx, p.Name)
	if err == nil {
		err = w.adoptable(h, it, found)
	}
	var versions []string
	if err == nil && !found {
		versions, err = s.indexes.ask(ctx, p.Name)
	}
	switch {
	case remotecmd.IsMissing(err):
		return nil // the same run may install the manager itself
	case err != nil || found:
		return err
	}
	if _, known := w.pick(map[string][]string{p.Name: versions}); !known {
		has := "."
		if len(versions) > 0 {
			has = ", which has: " + list(versions) + "."
		}
		runtime.Warn(ctx, "name", "Not known to the package manager yet",
			fmt.Sprintf("%s is not in the index that %s has on host %s%s The apply will fail if neither a new index nor a repository of this run has it.",
				w.what(), s.name, h.Name(), has))
	}
	return nil
}

func (p *Package) wish() wish {
	w := wish{name: p.Name, hold: is(p.Hold), refresh: is(p.UpdateCache)}
	if p.Version != nil {
		w.version = *p.Version
	}
	return w
}

func is(b *bool) bool { return b != nil && *b }

// Create is part of [runtime.TypedResource].
func (p *Package) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	return p.apply(ctx, scope, p.wish())
}

// apply has the wish fulfilled. What was installed in spite of an error is known.
func (p *Package) apply(ctx context.Context, scope *lifecycle.Scope, w wish) (*Output, error) {
	h := scope.Host
	s, err := p.shops.find(ctx, scope, p.Manager)
	if err != nil {
		return nil, err
	}
	o, err := s.wishes.ask(ctx, w)
	if err != nil {
		return nil, err
	}
	if o.err != nil && !w.done(o.is, o.is.name != "") {
		return nil, o.err
	}
	out := p.output(h, s, o.is)
	if p.Version != nil {
		out.Version = p.Version // it was planned so
	}
	if o.err == nil {
		out.Hold = new(w.hold)
	}
	return out, o.err
}

// Read is part of [runtime.TypedResource].
func (p *Package) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	s, err := p.shops.find(ctx, scope, p.Manager)
	if err != nil {
		return nil, err
	}
	it, found, err := s.look(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: the package %s is not installed on host %s", runtime.ErrNotFound, p.Name, h.Name())
	}
	return p.output(h, s, it), nil
}

// Update is part of [runtime.TypedResource]. A version that has not changed is left
// alone: where none is configured, it is only what was installed when somebody
// looked.
func (p *Package) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Package, *Output]) (*Output, error) {
	w := p.wish()
	w.changes = true
	if was := prior.Inputs.Version; was != nil && p.Version != nil && *was == *p.Version {
		w.version = ""
	}
	return p.apply(ctx, scope, w)
}

// Delete is part of [runtime.TypedResource].
func (p *Package) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	s, err := p.shops.find(ctx, scope, p.Manager)
	if err != nil {
		return err
	}
	o, err := s.removes.ask(ctx, removal{p.Name, is(p.Purge)})
	if err != nil {
		return err
	}
	return o.err
}

// output is how the package is. A version that is configured by its beginning is
// that which begins so.
func (p *Package) output(h host.Host, s *shop, it installed) *Output {
	out := &Output{
		Host: new(h.Name()), Name: p.Name, Hold: new(it.held), Manager: new(s.name),
		Version: new(Version(it.version)), InstalledVersion: it.version,
	}
	if p.Version != nil && p.Version.matches(it.version) {
		out.Version = p.Version
	}
	return out
}

package packages

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (p *Package) Place() (*string, lifecycle.Key) { return p.Host, packageKey(p.Name) }

// RootOnly implements [lifecycle.RootOnly].
func (*Package) RootOnly() string { return "packages" }

// ValidateInputs implements [runtime.InputValidator].
func (p *Package) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	p.Announce(ctx, scope)
	return nil
}

// Announce implements [lifecycle.Announcer].
func (*Package) Announce(ctx context.Context, scope *lifecycle.Scope) {
	if runtime.PlansCreate(ctx) {
		scope.PlanAnyAccount() // many packages create the user that runs their service
	}
}

// Preflight implements [lifecycle.Preflighter]. It returns an error if the package is
// installed and a create cannot adopt it. A package that is not available is only a
// warning, because the same apply may add its repository.
func (p *Package) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	m, err := p.managers.find(ctx, scope, p.Manager)
	if err != nil {
		return err
	}
	r := p.request()
	state, found, err := m.lookup(ctx, p.Name)
	if err == nil {
		err = r.checkAdoptable(h, state, found)
	}
	var versions []string
	if err == nil && !found {
		versions, err = m.indexes.do(ctx, p.Name)
	}
	switch {
	case remotecmd.IsMissing(err):
		return nil // the same apply may install the package manager itself
	case err != nil || found:
		return err
	}
	if _, known := r.candidate(map[string][]string{p.Name: versions}); !known {
		has := "."
		if len(versions) > 0 {
			has = ". The index has: " + diag.List(versions, maxListed) + "."
		}
		runtime.Warn(ctx, "name", "Package not in the package index",
			fmt.Sprintf("%s is not in the package index of %s on host %s%s The apply will fail if neither an updated index nor a repository added in the same apply has it.",
				r, m.name, h.Name(), has))
	}
	return nil
}

func (p *Package) request() request {
	r := request{name: p.Name, hold: isTrue(p.Hold), refresh: isTrue(p.UpdateCache)}
	if p.Version != nil {
		r.version = *p.Version
	}
	return r
}

func isTrue(b *bool) bool { return b != nil && *b }

// Create implements [runtime.TypedResource].
func (p *Package) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	return p.apply(ctx, scope, p.request())
}

// apply installs the package as requested. If the request fails, but not its whole batch, apply also returns the
// output of a package that is installed now, unless it was installed before a create.
func (p *Package) apply(ctx context.Context, scope *lifecycle.Scope, r request) (*Output, error) {
	h := scope.Host
	m, err := p.managers.find(ctx, scope, p.Manager)
	if err != nil {
		return nil, err
	}
	o, err := m.requests.do(ctx, r)
	if err != nil {
		return nil, err
	}
	if o.err != nil && !r.installed(o.state, o.state.name != "") {
		return nil, o.err
	}
	out := p.output(h, m, o.state)
	if p.Version != nil {
		out.Version = p.Version // as planned
	}
	if o.err == nil {
		out.Hold = new(r.hold)
	}
	return out, o.err
}

// Read implements [runtime.TypedResource].
func (p *Package) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	m, err := p.managers.find(ctx, scope, p.Manager)
	if err != nil {
		return nil, err
	}
	state, found, err := m.lookup(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%w: the package %s is not installed on host %s", runtime.ErrNotFound, p.Name, h.Name())
	}
	return p.output(h, m, state), nil
}

// Update implements [runtime.TypedResource]. It does not request a version that has not
// changed: if none is configured, that version is the one that the last read returned. But if the
// package was removed after the plan, it installs that version, if the index has it.
func (p *Package) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Package, *Output]) (*Output, error) {
	r := p.request()
	r.changes = true
	if was := prior.Inputs.Version; was != nil && p.Version != nil && *was == *p.Version {
		r.version, r.planned = "", r.version
	}
	return p.apply(ctx, scope, r)
}

// Delete implements [runtime.TypedResource].
func (p *Package) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	m, err := p.managers.find(ctx, scope, p.Manager)
	if err != nil {
		return err
	}
	o, err := m.removals.do(ctx, removal{p.Name, isTrue(p.Purge)})
	if err != nil {
		return err
	}
	return o.err
}

// output returns the output for a state of the package. Its Version is the configured one
// if that matches the installed version.
func (p *Package) output(h host.Host, m *manager, state packageState) *Output {
	out := &Output{
		Host: new(h.Name()), Name: p.Name, Hold: new(state.held), Manager: new(m.name),
		Version: new(Version(state.version)), InstalledVersion: state.version,
	}
	if p.Version != nil && p.Version.matches(state.version) {
		out.Version = p.Version
	}
	return out
}

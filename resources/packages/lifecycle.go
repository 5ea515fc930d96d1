package packages

import (
	"context"
	"fmt"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// ValidateInputs is part of [runtime.InputValidator].
func (p *Package) ValidateInputs(ctx context.Context, hosts *target.Hosts) error {
	h, err := hosts.Find(p.Host)
	if err != nil || !runtime.PlansCreate(ctx) || hosts.Remembers(h, place(p.Name)) {
		return err
	}
	hosts.ExpectAnyAccount(h) // many make the user that their service runs as
	return hosts.LookAsRoot(ctx, h, "packages", func() error { return p.foresee(ctx, hosts, h) })
}

// foresee looks what a create would find. What is installed otherwise than
// configured is an error that stays; what is not to be had may come with a
// repository of the same run.
func (p *Package) foresee(ctx context.Context, hosts *target.Hosts, h host.Host) error {
	s, err := p.shops.find(ctx, hosts, h, p.Manager)
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
func (p *Package) Create(ctx context.Context, hosts *target.Hosts) (*Output, error) {
	out, err := p.apply(ctx, hosts, p.wish())
	if out != nil {
		if h, err := hosts.Find(p.Host); err == nil {
			hosts.Make(h, place(p.Name))
		}
	}
	return out, err
}

// apply has the wish fulfilled. What was installed in spite of an error is known.
func (p *Package) apply(ctx context.Context, hosts *target.Hosts, w wish) (*Output, error) {
	h, err := hosts.Find(p.Host)
	if err != nil {
		return nil, err
	}
	s, err := p.shops.find(ctx, hosts, h, p.Manager)
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
func (p *Package) Read(ctx context.Context, hosts *target.Hosts, _ *Output) (*Output, error) {
	h, err := hosts.Find(p.Host)
	if err != nil {
		return nil, err
	}
	s, err := p.shops.find(ctx, hosts, h, p.Manager)
	if err != nil {
		return nil, err
	}
	it, found, err := s.look(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	if !found {
		hosts.Forget(h, place(p.Name))
		return nil, fmt.Errorf("%w: the package %s is not installed on host %s", runtime.ErrNotFound, p.Name, h.Name())
	}
	hosts.Remember(h, place(p.Name))
	return p.output(h, s, it), nil
}

// Update is part of [runtime.TypedResource]. A version that has not changed is left
// alone: where none is configured, it is only what was installed when somebody
// looked.
func (p *Package) Update(ctx context.Context, hosts *target.Hosts, prior runtime.Prior[Package, *Output]) (*Output, error) {
	w := p.wish()
	w.changes = true
	if was := prior.Inputs.Version; was != nil && p.Version != nil && *was == *p.Version {
		w.version = ""
	}
	return p.apply(ctx, hosts, w)
}

// Delete is part of [runtime.TypedResource].
func (p *Package) Delete(ctx context.Context, hosts *target.Hosts, _ *Output) error {
	h, err := hosts.Find(p.Host)
	if err != nil {
		return err
	}
	if hosts.Made(h, place(p.Name)) {
		target.WarnShared(ctx, h, place(p.Name))
		return nil
	}
	s, err := p.shops.find(ctx, hosts, h, p.Manager)
	if err != nil {
		return err
	}
	o, err := s.removes.ask(ctx, removal{p.Name, is(p.Purge)})
	if err == nil {
		err = o.err
	}
	if err == nil {
		hosts.Forget(h, place(p.Name))
	}
	return err
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

package packages

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place is part of [lifecycle.Object].
func (r *Repository) Place() (*string, lifecycle.Key) { return r.Host, repositoryPlace(r.Name) }

// ValidateInputs is part of [runtime.InputValidator].
func (r *Repository) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if r.Manager != nil {
		if err := formats[*r.Manager].check(r); err != nil {
			return err
		}
	}
	return scope.PreflightAsRoot(ctx, "package repositories", func() error {
		p, err := r.position(ctx, scope)
		if err != nil {
			return err
		}
		if err := p.check(r); err != nil || !runtime.PlansCreate(ctx) || scope.Owned() {
			return err
		}
		has, err := p.look(ctx)
		if err != nil {
			return lifecycle.IgnoreIfInspectable(err)
		}
		if has.text == nil {
			return p.otherKey(ctx)
		}
		return has.adoptable(p)
	})
}

// position is where a repository is: on a host, in the form of its manager.
type position struct {
	format
	*Repository
	manager string
	scope   *lifecycle.Scope
	h       host.Host
}

func (r *Repository) position(ctx context.Context, scope *lifecycle.Scope) (position, error) {
	h := scope.Host
	s, err := r.shops.find(ctx, scope, r.Manager)
	if err != nil {
		return position{}, err
	}
	return position{formats[s.name], r, s.name, scope, h}, nil
}

// content is what a repository consists of on the host. A text that is nil is not
// there.
type content struct {
	text *string
	key  []byte // nil where there is no file
	source
}

// wanted is what is to be there.
func (p position) wanted() content {
	c := content{source: p.Repository.source(p.format)}
	if p.Key != nil {
		c.key = keyFile(*p.Key)
	}
	text := p.render(c.source)
	c.text = &text
	return c
}

// look is what is there.
func (p position) look(ctx context.Context) (content, error) {
	_, file, err := textedit.Read(ctx, p.h, p.path(p.Name))
	if err != nil {
		return content{}, err
	}
	text, found := p.cut(file, p.Name)
	if !found {
		return content{}, nil
	}
	c := content{text: &text, source: p.parse(p.Name, text)}
	if c.source.key == "" {
		return c, nil
	}
	if armored, _ := p.keys(p.Name, nil); c.source.key == armored {
		c.source.key, _ = p.keys(p.Name, p.KeyName)
	}
	_, c.key, err = textedit.Read(ctx, p.h, c.source.key)
	return c, err
}

// same reports whether two are the same repository, whatever its text looks like.
func (p position) same(a, b content) bool {
	if (a.key == nil) != (b.key == nil) || a.key != nil && !sameKey(keyText(a.key), keyText(b.key)) {
		return false
	}
	return p.render(a.source) == p.render(b.source)
}

// adoptable refuses to change what a create has found.
func (c content) adoptable(p position) error {
	if c.text == nil || p.same(c, p.wanted()) {
		return nil
	}
	return diag.AttributeErrorf("name", "the repository %s is configured on host %s already, in %s, which is not as configured here. "+
		"To manage it, import it (id %q); a plan then shows what would change. Or remove it",
		p.Name, p.h.Name(), p.path(p.Name), p.h.Name()+":"+p.Name)
}

// Create is part of [runtime.TypedResource].
func (r *Repository) Create(ctx context.Context, scope *lifecycle.Scope) (*RepositoryOutput, error) {
	p, err := r.position(ctx, scope)
	if err != nil {
		return nil, err
	}
	has, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	if has.text != nil {
		if err := has.adoptable(p); err != nil {
			return nil, err
		}
	} else {
		if err := p.otherKey(ctx); err != nil {
			return nil, err
		}
		if has, err = p.change(ctx, has, nil); err != nil {
			return nil, err
		}
	}
	return p.configured(has), nil
}

// otherKey refuses to replace a key that was there before the repository: it is
// somebody else's, as that of the distribution.
func (p position) otherKey(ctx context.Context) error {
	want := p.wanted()
	if want.key == nil {
		return nil
	}
	_, has, err := textedit.Read(ctx, p.h, want.source.key)
	if err != nil || has == nil || sameKey(keyText(has), keyText(want.key)) {
		return err
	}
	return diag.AttributeErrorf("key", "%s on host %s has another key already, which other repositories may need. "+
		"See whose it is, and remove the file; or choose another name for this one", want.source.key, p.h.Name())
}

// Read is part of [runtime.TypedResource].
func (r *Repository) Read(ctx context.Context, scope *lifecycle.Scope, _ *RepositoryOutput) (*RepositoryOutput, error) {
	p, err := r.position(ctx, scope)
	if err != nil {
		return nil, err
	}
	has, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	if has.text == nil {
		return nil, fmt.Errorf("%w: %s on host %s has no repository %s", runtime.ErrNotFound, p.path(r.Name), p.h.Name(), r.Name)
	}
	return p.observed(has), nil
}

// Update is part of [runtime.TypedResource].
func (r *Repository) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Repository, *RepositoryOutput]) (*RepositoryOutput, error) {
	p, err := r.position(ctx, scope)
	if err != nil {
		return nil, err
	}
	has, err := p.look(ctx)
	if err != nil {
		return nil, err
	}
	if has, err = p.change(ctx, has, &prior.Inputs); err != nil {
		return nil, err
	}
	return p.configured(has), nil
}

// Delete is part of [runtime.TypedResource]. The key goes last: nothing is there
// without it.
func (r *Repository) Delete(ctx context.Context, scope *lifecycle.Scope, _ *RepositoryOutput) error {
	p, err := r.position(ctx, scope)
	if err != nil {
		return err
	}
	if err := p.write(ctx, nil); err != nil {
		return err
	}
	if key := r.keyPath(p.format); key != "" {
		return p.remove(ctx, key)
	}
	return nil
}

// undoTime bounds what puts back what was there.
const undoTime = time.Minute

// change makes the repository as it is wanted, and gets its index. Where that fails,
// everything is put back. A key that it had under another name goes.
func (p position) change(ctx context.Context, was content, prior *Repository) (content, error) {
	is := p.wanted()
	key := is.source.key
	var oldKey []byte
	var err error
	if key != "" {
		if _, oldKey, err = textedit.Read(ctx, p.h, key); err != nil {
			return is, err
		}
		err = p.put(ctx, key, is.key)
	}
	if err == nil {
		err = p.write(ctx, is.text)
	}
	if err == nil && !is.disabled {
		err = p.scope.WithLock(ctx, turn, func() error { return p.index(ctx, p.h, p.Name) })
	}
	if err != nil {
		undo, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTime)
		defer cancel()
		failed := p.write(undo, was.text)
		if key != "" {
			failed = errors.Join(failed, p.put(undo, key, oldKey))
		}
		if failed != nil {
			return is, fmt.Errorf("%w. What was there before could not be put back: %w", err, failed)
		}
		return is, fmt.Errorf("%w. The repository %s on host %s is as it was before", err, p.Name, p.h.Name())
	}
	if prior != nil {
		if old := prior.keyPath(p.format); old != "" && old != key {
			err = p.remove(ctx, old)
		}
	}
	return is, err
}

// write puts the text of the repository into its file; nil takes it out.
func (p position) write(ctx context.Context, text *string) error {
	path := p.path(p.Name)
	attrs := host.Attributes{}
	if p.own() {
		if text == nil {
			return p.remove(ctx, path)
		}
		attrs.Mode = new(host.Mode(0o644))
	}
	return p.edit(ctx, path, attrs, func(was []byte) ([]byte, error) { return p.whole(was, p.Name, text), nil })
}

// put makes a file of a key have this content; nil removes it.
func (p position) put(ctx context.Context, path address.Path, content []byte) error {
	if content == nil {
		return p.remove(ctx, path)
	}
	// apt reads keys as a user of its own.
	return p.edit(ctx, path, host.Attributes{Mode: new(host.Mode(0o644))}, func([]byte) ([]byte, error) { return content, nil })
}

func (p position) edit(ctx context.Context, path address.Path, attrs host.Attributes, change textedit.Change) error {
	return hostpath.InDirectory(ctx, p.h, path, true, func() error {
		_, err := textedit.File(ctx, p.scope, path, attrs, change)
		return err
	})
}

func (p position) remove(ctx context.Context, path address.Path) error {
	return hostpath.Remove(ctx, p.h, path, host.TypeRegular)
}

// observed is the repository as it is there.
func (p position) observed(c content) *RepositoryOutput {
	out := &RepositoryOutput{
		Host: new(p.h.Name()), Name: p.Name, Manager: new(p.manager), Path: string(p.path(p.Name)), Content: *c.text, KeyName: p.KeyName,
		URIs: c.uris, Suites: c.suites, Components: c.components, Architectures: c.architectures,
		Trusted: new(c.trusted), Enabled: new(!c.disabled), Options: c.options,
	}
	if c.description != "" {
		out.Description = &c.description
	}
	if c.key != nil {
		out.Key = new(keyText(c.key))
	}
	return out
}

// configured is the same in the words of the configuration.
func (p position) configured(c content) *RepositoryOutput {
	out := p.observed(c)
	r := p.Repository
	out.URIs, out.Suites, out.Components, out.Architectures = r.URIs, r.Suites, r.Components, r.Architectures
	out.Key, out.Description, out.Options = r.Key, r.Description, r.Options
	return out
}

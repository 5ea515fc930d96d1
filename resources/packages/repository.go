package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (r *Repository) Place() (*string, lifecycle.Key) { return r.Host, repositoryKey(r.Name) }

// ValidateInputs implements [runtime.InputValidator].
func (r *Repository) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	if r.Manager != nil {
		if err := formats[*r.Manager].check(r); err != nil {
			return err
		}
	}
	return scope.PreflightAsRoot(ctx, "package repositories", func() error {
		p, err := r.onHost(ctx, scope)
		if err != nil {
			return err
		}
		if err := p.check(r); err != nil || !runtime.PlansCreate(ctx) || scope.Owned() {
			return err
		}
		has, err := p.read(ctx)
		if err != nil {
			return lifecycle.PreflightError(err)
		}
		if has.text == nil {
			return p.checkKeyFile(ctx)
		}
		return has.checkAdoptable(p)
	})
}

// hostRepository is a repository on a host, in the format of its package manager.
type hostRepository struct {
	format
	*Repository
	manager string
	scope   *lifecycle.Scope
	h       host.Host
}

func (r *Repository) onHost(ctx context.Context, scope *lifecycle.Scope) (hostRepository, error) {
	h := scope.Host
	s, err := r.managers.find(ctx, scope, r.Manager)
	if err != nil {
		return hostRepository{}, err
	}
	return hostRepository{formats[s.name], r, s.name, scope, h}, nil
}

// current returns the repository with its host, and its content there.
func (r *Repository) current(ctx context.Context, scope *lifecycle.Scope) (hostRepository, content, error) {
	p, err := r.onHost(ctx, scope)
	if err != nil {
		return p, content{}, err
	}
	has, err := p.read(ctx)
	return p, has, err
}

// content is the content of a repository on a host. A nil text means that the host does not have it.
type content struct {
	text *string
	key  []byte // nil if there is no key file
	source
}

// desired returns the configured content.
func (p hostRepository) desired() content {
	c := content{source: p.Repository.source(p.format)}
	if p.Key != nil {
		c.key = keyFile(*p.Key)
	}
	text := p.render(c.source)
	c.text = &text
	return c
}

// read returns the content on the host.
func (p hostRepository) read(ctx context.Context) (content, error) {
	_, file, err := textedit.Read(ctx, p.h, p.path(p.Name))
	if err != nil {
		return content{}, err
	}
	text, found := p.extract(file, p.Name)
	if !found {
		return content{}, nil
	}
	c := content{text: &text, source: p.definition(text)}
	if c.source.key == "" {
		return c, nil
	}
	if armored, _ := p.keyPaths(p.Name, nil); c.source.key == armored {
		c.source.key, _ = p.keyPaths(p.Name, p.KeyName)
	}
	_, c.key, err = textedit.Read(ctx, p.h, c.source.key)
	return c, err
}

// definition returns the definition in text. Several definitions may have the same meaning, such as one with an empty
// list and one with an unset list, or one with an option and one with the attribute that writes it. Of these,
// definition returns the configured one, even if the text has another form, for example with comments.
func (p hostRepository) definition(text string) source {
	parsed, configured := p.parse(p.Name, text), p.Repository.source(p.format)
	withKey := configured
	withKey.key = parsed.key // the text of apk does not show whether there is a key
	normalized := p.render(parsed)
	for _, known := range []source{withKey, configured} {
		if rendered := p.render(known); rendered == text || rendered == normalized {
			return known
		}
	}
	return parsed
}

// equal reports whether a and b define the same repository, even if their texts differ.
func (p hostRepository) equal(a, b content) bool {
	if (a.key == nil) != (b.key == nil) || a.key != nil && !sameKey(keyText(a.key), keyText(b.key)) {
		return false
	}
	return p.render(a.source) == p.render(b.source)
}

// checkOthers returns an error if the file has other repositories. An update or a destroy would
// remove them although no plan has shown them.
func (c content) checkOthers(p hostRepository) error {
	others := p.others(p.Name, *c.text)
	if len(others) == 0 {
		return nil
	}
	return fmt.Errorf("%s on host %s has other repositories: %s. A file can only be managed as a whole, with one repository. "+
		"Move the others to files of their own, or manage the file with posix_file",
		p.path(p.Name), p.h.Name(), diag.List(others, maxListed))
}

// checkAdoptable returns an error if a create would have to change the repository, or if its file
// has other repositories.
func (c content) checkAdoptable(p hostRepository) error {
	if c.text == nil {
		return nil
	}
	if err := c.checkOthers(p); err != nil {
		return lifecycle.ConflictErrorf("name", "%v", err)
	}
	if p.equal(c, p.desired()) {
		return nil
	}
	return lifecycle.ConflictErrorf("name", "the repository %s is already configured on host %s in %s, and differs from the configuration. "+
		"To manage it, import it (id %q); a plan then shows what would change. Or remove it",
		p.Name, p.h.Name(), p.path(p.Name), p.h.Name()+":"+p.Name)
}

// Create implements [runtime.TypedResource].
func (r *Repository) Create(ctx context.Context, scope *lifecycle.Scope) (*RepositoryOutput, error) {
	p, has, err := r.current(ctx, scope)
	if err != nil {
		return nil, err
	}
	if has.text != nil {
		if err := has.checkAdoptable(p); err != nil {
			return nil, err
		}
	} else if has, err = p.change(ctx, has, nil); err != nil {
		return nil, err
	}
	return p.configured(has), nil
}

// checkKeyFile returns an error if a create would replace another key.
func (p hostRepository) checkKeyFile(ctx context.Context) error {
	want := p.desired()
	if want.key == nil {
		return nil
	}
	_, has, err := textedit.Read(ctx, p.h, want.source.key)
	if err != nil {
		return err
	}
	return p.checkKey(want, has, nil)
}

// checkKey returns an error if has, the content of the key file, is neither the configured key nor a key that
// the state has in this file; nil means no file. If a key was read from this file for the plan, the file was
// changed after the plan. Otherwise, other repositories may use the file.
func (p hostRepository) checkKey(want content, has []byte, prior *repositoryPrior) error {
	if has == nil || sameKey(keyText(has), keyText(want.key)) {
		return nil
	}
	if prior != nil && p.sameKeyFile(prior.Inputs.KeyName) {
		for _, key := range []*string{prior.Observed.Key, prior.Outputs.Key} {
			if key != nil && sameKey(keyText(has), *key) {
				return nil
			}
		}
		if prior.Observed.Key != nil {
			return lifecycle.ChangedAfterPlan("key", p.h, want.source.key)
		}
	}
	return diag.AttributeErrorf("key", "%s on host %s already has another key, which other repositories may use. "+
		"Check that key, and remove the file; or choose another name for this repository", want.source.key, p.h.Name())
}

// sameKeyFile reports whether keyName and the configured key_name result in the same key file.
func (p hostRepository) sameKeyFile(keyName *string) bool {
	prior, _ := p.keyPaths(p.Name, keyName)
	configured, _ := p.keyPaths(p.Name, p.KeyName)
	return prior == configured
}

// appliedKeyPath returns the path of the key file of applied, a repository in the state with this content, or
// an empty path if the state has no key. It prefers the path in the content: the key does not show its path if
// the key file was overwritten with anything but an armored key, such as an error page of a server.
func (p hostRepository) appliedKeyPath(applied *Repository, content string) address.Path {
	if applied.Key == nil {
		return ""
	}
	key := p.parse(p.Name, content).key
	if key == "" {
		return applied.keyPath(p.format)
	}
	if armored, _ := p.keyPaths(p.Name, nil); key == armored {
		key, _ = p.keyPaths(p.Name, applied.KeyName)
	}
	return key
}

// Read implements [runtime.TypedResource]. Other repositories in the file make an import fail;
// if they were added to a managed file later, they are drift of the content.
func (r *Repository) Read(ctx context.Context, scope *lifecycle.Scope, _ *RepositoryOutput) (*RepositoryOutput, error) {
	p, has, err := r.current(ctx, scope)
	if err != nil {
		return nil, err
	}
	if has.text == nil {
		return nil, fmt.Errorf("%w: %s on host %s has no repository %s", runtime.ErrNotFound, p.path(r.Name), p.h.Name(), r.Name)
	}
	if runtime.Imports(ctx) {
		if err := has.checkOthers(p); err != nil {
			return nil, err
		}
	}
	return p.observed(has), nil
}

// repositoryPrior is the state of a repository before an update.
type repositoryPrior = runtime.Prior[Repository, *RepositoryOutput]

// Update implements [runtime.TypedResource]. It does not replace content that the plan has not
// shown.
func (r *Repository) Update(ctx context.Context, scope *lifecycle.Scope, prior repositoryPrior) (*RepositoryOutput, error) {
	p, has, err := r.current(ctx, scope)
	if err != nil {
		return nil, err
	}
	if has.text != nil && address.Shown(*has.text) != prior.Observed.Content && *has.text != *p.desired().text {
		return nil, p.changedAfterPlan()
	}
	if has, err = p.change(ctx, has, &prior); err != nil {
		return nil, err
	}
	return p.configured(has), nil
}

func (p hostRepository) changedAfterPlan() error {
	return lifecycle.ChangedAfterPlan("name", p.h, p.path(p.Name))
}

// Delete implements [runtime.TypedResource]. It removes the key first: if the provider is killed then,
// the repository is still in the state and deleted by the next apply, while a key without its
// repository would stay. Until that apply, the package manager rejects the repository as not signed,
// and installations may fail. The lock keeps this process from installing packages in between.
func (r *Repository) Delete(ctx context.Context, scope *lifecycle.Scope, out *RepositoryOutput) error {
	p, err := r.onHost(ctx, scope)
	if err != nil {
		return err
	}
	return p.scope.WithLock(ctx, lockName, func() (err error) {
		if key := p.appliedKeyPath(r, out.Content); key != "" {
			err = p.remove(ctx, key)
		}
		if _, wrong := errors.AsType[*hostpath.WrongTypeError](err); err != nil && !wrong {
			return err
		}
		return errors.Join(err, p.removeText(ctx))
	})
}

// change configures the repository and, unless it is disabled, updates its index. It returns the
// configured content. If one of these steps fails, it restores the previous content, but keeps what another
// program has written since. It replaces only a definition that equals was, and keys that
// [hostRepository.checkKey] permits. A key file that the prior configuration used and this one does not
// is removed.
func (p hostRepository) change(ctx context.Context, was content, prior *repositoryPrior) (content, error) {
	is := p.desired()
	key := is.source.key
	var reverts []func(context.Context) error
	var changed bool // whether the repository was changed after the plan
	var err error
	if key != "" {
		var oldKey []byte
		if _, oldKey, err = textedit.Read(ctx, p.h, key); err == nil {
			err = p.checkKey(is, oldKey, prior)
		}
		if err != nil {
			return is, err
		}
		if err = p.writeKey(ctx, key, oldKey, is.key); errors.Is(err, host.ErrChanged) {
			return is, lifecycle.ChangedAfterPlan("key", p.h, key)
		}
		reverts = append(reverts, func(ctx context.Context) error { return p.writeKey(ctx, key, is.key, oldKey) })
	}
	if err == nil {
		if err = p.write(ctx, was.text, is.text); errors.Is(err, host.ErrChanged) {
			err, changed = p.changedAfterPlan(), true
		} else {
			reverts = append(reverts, func(ctx context.Context) error { return p.write(ctx, is.text, was.text) })
		}
	}
	if err == nil && !is.disabled {
		err = p.scope.WithLock(ctx, lockName, func() error { return p.updateIndex(ctx, p.h, p.Name) })
	}
	if err != nil && len(reverts) > 0 {
		undo, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
		defer cancel()
		var failed error
		for _, revert := range slices.Backward(reverts) {
			failed = errors.Join(failed, revert(undo))
		}
		if failed != nil {
			return is, fmt.Errorf("%w. The previous state of the repository %s on host %s cannot be restored: %w", err, p.Name, p.h.Name(), failed)
		}
		if changed {
			return is, err
		}
		return is, fmt.Errorf("%w. The change to the repository %s on host %s was reverted", err, p.Name, p.h.Name())
	}
	if err == nil && prior != nil {
		if old := p.appliedKeyPath(&prior.Inputs, prior.Observed.Content); old != "" && old != key {
			ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout) // after an interrupt too: the next refresh does not find the old key
			defer cancel()
			err = p.remove(ctx, old)
		}
	}
	return is, err
}

// write changes the text of the repository in its file; nil means no text. It
// returns [host.ErrChanged] if the file has a text other than from and to.
func (p hostRepository) write(ctx context.Context, from, to *string) error {
	if to == nil && p.ownsFile() {
		return p.removeContent(ctx, p.path(p.Name), []byte(*from))
	}
	attrs := host.Attributes{}
	if p.ownsFile() {
		attrs.Mode = new(host.Mode(0o644))
	}
	return p.edit(ctx, p.path(p.Name), attrs, func(was []byte) ([]byte, error) {
		now, found := p.extract(was, p.Name)
		has := func(text *string) bool { return found == (text != nil) && (!found || now == *text) }
		switch {
		case has(from):
			return p.replace(was, p.Name, to), nil
		case has(to):
			return was, nil
		}
		return was, fmt.Errorf("%s: %w", p.path(p.Name), host.ErrChanged)
	})
}

// removeText removes the file of the repository, or only its section if the format has one file for all repositories.
func (p hostRepository) removeText(ctx context.Context) error {
	path := p.path(p.Name)
	if p.ownsFile() {
		return p.remove(ctx, path)
	}
	return p.edit(ctx, path, host.Attributes{}, func(was []byte) ([]byte, error) { return p.replace(was, p.Name, nil), nil })
}

// writeKey changes the content of a key file; nil means no file. It returns [host.ErrChanged]
// if the file has content other than from and to.
func (p hostRepository) writeKey(ctx context.Context, path address.Path, from, to []byte) error {
	if to == nil {
		return p.removeContent(ctx, path, from)
	}
	// apt reads keys as an unprivileged user.
	return p.edit(ctx, path, host.Attributes{Mode: new(host.Mode(0o644))}, func(was []byte) ([]byte, error) {
		if !bytes.Equal(was, from) && !bytes.Equal(was, to) {
			return was, fmt.Errorf("%s: %w", path, host.ErrChanged)
		}
		return to, nil
	})
}

func (p hostRepository) edit(ctx context.Context, path address.Path, attrs host.Attributes, change textedit.Change) error {
	return hostpath.InDirectory(ctx, p.h, path, true, func() error {
		_, err := textedit.File(ctx, p.scope, path, attrs, change)
		return err
	})
}

// removeContent removes a file with this content. It returns [host.ErrChanged] if the file has different content.
func (p hostRepository) removeContent(ctx context.Context, path address.Path, content []byte) error {
	_, now, err := textedit.Read(ctx, p.h, path)
	if err == nil && now != nil && !bytes.Equal(now, content) {
		err = fmt.Errorf("%s: %w", path, host.ErrChanged)
	}
	if err != nil {
		return err
	}
	return p.remove(ctx, path)
}

// remove removes a file of the repository, unless another resource of this run has created or adopted it.
func (p hostRepository) remove(ctx context.Context, path address.Path) error {
	return p.scope.RemoveUnlessCreated(ctx, path, func() error { return hostpath.Remove(ctx, p.h, path, host.TypeRegular) })
}

// observed returns the output for the content on the host.
func (p hostRepository) observed(c content) *RepositoryOutput {
	out := &RepositoryOutput{
		Host: new(p.h.Name()), Name: p.Name, Manager: new(p.manager), Path: string(p.path(p.Name)), Content: address.Shown(*c.text), KeyName: p.KeyName,
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

// configured returns the output with the lists, key, description and options of the
// configuration.
func (p hostRepository) configured(c content) *RepositoryOutput {
	out := p.observed(c)
	r := p.Repository
	out.URIs, out.Suites, out.Components, out.Architectures = r.URIs, r.Suites, r.Components, r.Architectures
	out.Key, out.Description, out.Options = r.Key, r.Description, r.Options
	return out
}

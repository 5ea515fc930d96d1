package sysctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

const (
	// previous is the key of private data with the value from before the create, if it
	// differed from the configured one.
	previous = "previous"
	// managed is the key of private data with the value that was last applied, with single spaces.
	managed = "managed"
	// fileSet is the key of private data for whether the name of the file was configured in the last
	// apply. A file that was imported keeps its name if none is configured.
	fileSet = "file_set"
)

// Place implements [lifecycle.Object].
func (s *Sysctl) Place() (*string, lifecycle.Key) { return s.Host, s.key() }

// RootOnly implements [lifecycle.RootOnly].
func (*Sysctl) RootOnly() string { return "kernel parameters" }

// Preflight implements [lifecycle.Preflighter].
func (s *Sysctl) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	_, err := s.live(ctx, h)
	if errors.Is(err, errNoKey) { // another resource may load the module first
		runtime.Warn(ctx, "key", "Key does not exist yet", err.Error()+". Unless the same apply adds the key, the apply will fail.")
		err = nil
	}
	if err != nil || scope.Owned() {
		return err
	}
	_, text, err := textedit.Read(ctx, h, s.path())
	if err != nil {
		return lifecycle.PreflightError(err)
	}
	return s.checkAdoptable(h, text)
}

// checkAdoptable returns an error for a file that does not have exactly the configured setting.
func (s *Sysctl) checkAdoptable(h host.Host, text []byte) error {
	if text == nil || s.has(text) {
		return nil
	}
	remedy := "Choose another file name, or move the file away"
	if s.File == nil {
		remedy = fmt.Sprintf("To manage it, import it (id %q); a plan then shows what would change. Or move the file away", h.Name()+":"+dotted(s.Key))
	}
	return lifecycle.ConflictErrorf("file", "%s already exists on host %s with different settings: %q. %s",
		s.path(), h.Name(), persisted(text, s.Key), remedy)
}

// Create implements [runtime.TypedResource].
func (s *Sysctl) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	now, err := s.live(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := s.apply(ctx, scope, now, func(was []byte) error { return s.checkAdoptable(h, was) }); err != nil {
		return nil, err
	}
	if plain(now) != plain(s.Value) {
		runtime.Private(ctx).Set(previous, []byte(now))
	}
	return s.applied(ctx, h), nil
}

// applied returns the output of a parameter that is as configured, and stores in the private data the value and whether
// the name of the file is configured. It warns if another file overrides the value.
func (s *Sysctl) applied(ctx context.Context, h host.Host) *Output {
	var set []byte
	if runtime.Configured(ctx, "file") {
		set = []byte{'1'}
	}
	runtime.Private(ctx).Set(fileSet, set)
	runtime.Private(ctx).Set(managed, []byte(plain(s.Value)))
	s.warnIfOverridden(ctx, h)
	return &Output{Host: new(h.Name()), Key: s.Key, Value: s.Value, File: new(s.fileName()), Persisted: plain(s.Value)}
}

// apply sets the value in the running kernel and in the file. now is the previous value in the
// running kernel, which apply restores if the file cannot be written. check is as in save.
func (s *Sysctl) apply(ctx context.Context, scope *lifecycle.Scope, now string, check func(was []byte) error) error {
	if err := s.set(ctx, scope.Host, now, s.Value); err != nil {
		return err
	}
	err := s.save(ctx, scope, check)
	if err != nil {
		ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
		defer cancel()
		err = errors.Join(err, s.set(ctx, scope.Host, s.Value, now))
	}
	return err
}

// save writes the file if it does not have exactly the configured setting. check returns an error for
// a text that must not be replaced.
func (s *Sysctl) save(ctx context.Context, scope *lifecycle.Scope, check func(was []byte) error) error {
	h := scope.Host
	attrs := host.Attributes{Mode: new(host.Mode(0o644))}
	return hostpath.InDirectory(ctx, h, s.path(), true, func() error {
		_, err := textedit.File(ctx, scope, s.path(), attrs, func(was []byte) ([]byte, error) {
			if err := check(was); err != nil || was != nil && s.has(was) {
				return was, err
			}
			return s.wanted().text(), nil
		})
		return err
	})
}

// Read implements [runtime.TypedResource]. The object does not exist if its file or the
// key in the kernel is missing.
func (s *Sysctl) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	it := Sysctl{Key: prior.Key, File: prior.File}
	_, text, err := textedit.Read(ctx, h, it.path())
	if err == nil && text == nil && it.File == nil {
		text, err = it.find(ctx, h)
	}
	if err != nil {
		return nil, err
	}
	if text == nil {
		return nil, fmt.Errorf("%w: there is no file %s on host %s", runtime.ErrNotFound, it.path(), h.Name())
	}
	now, err := it.live(ctx, h)
	if errors.Is(err, errNoKey) {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	it.Value = now
	if private := runtime.Private(ctx); private.Get(previous) != nil && bytes.Equal(text, it.wanted().text()) {
		private.Set(managed, []byte(plain(now))) // differs if the result of an update was lost
	}
	return &Output{Host: new(h.Name()), Key: it.Key, Value: plain(now), File: new(it.fileName()), Persisted: persisted(text, it.Key)}, nil
}

// Update implements [runtime.TypedResource].
func (s *Sysctl) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Sysctl, *Output]) (*Output, error) {
	h := scope.Host
	now, err := s.live(ctx, h)
	if err != nil {
		return nil, err
	}
	if plain(now) != plain(s.Value) && plain(now) != plain(prior.Observed.Value) {
		return nil, lifecycle.ChangedAfterPlan("key", h, s.livePath())
	}
	was := Sysctl{Key: s.Key, File: prior.Observed.File}
	renamed := was.path() != s.path()
	check := func(is []byte) error {
		switch {
		case renamed:
			return s.checkAdoptable(h, is)
		case is != nil && !s.has(is) && persisted(is, s.Key) != prior.Observed.Persisted:
			return lifecycle.ChangedAfterPlan("key", h, s.path())
		}
		return nil
	}
	_, is, err := textedit.Read(ctx, h, s.path())
	if err == nil {
		err = check(is) // before the running kernel is changed
	}
	if err == nil {
		err = s.apply(ctx, scope, now, check)
	}
	if err == nil && renamed {
		ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout) // after an interrupt too: the state has only one of the two files
		defer cancel()
		err = was.remove(ctx, scope)
	}
	if err != nil {
		return nil, err
	}
	return s.applied(ctx, h), nil
}

// remove removes the file, unless another resource created or adopted it in this run.
func (s *Sysctl) remove(ctx context.Context, scope *lifecycle.Scope) error {
	return scope.RemoveUnlessCreated(ctx, s.path(), func() error { return hostpath.Remove(ctx, scope.Host, s.path(), host.TypeRegular) })
}

// Delete implements [runtime.TypedResource].
func (s *Sysctl) Delete(ctx context.Context, scope *lifecycle.Scope, prior *Output) error {
	h := scope.Host
	it := Sysctl{Key: s.Key, File: prior.File}
	private := runtime.Private(ctx)
	if was := private.Get(previous); was != nil {
		err := s.restore(ctx, h, string(private.Get(managed)), string(was))
		_, changed := errors.AsType[notSetBackError](err)
		if refused, is := errors.AsType[refusedError](err); is && !changed {
			runtime.Warn(ctx, "", "Value not restored", refused.Error()+". The file is removed, so the current value is in effect until the next boot.")
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return it.remove(ctx, scope)
}

// restore sets the previous value, unless the current one is no longer the applied one, or the key
// no longer exists.
func (s *Sysctl) restore(ctx context.Context, h host.Host, applied, was string) error {
	now, err := s.live(ctx, h)
	if errors.Is(err, errNoKey) {
		return nil
	}
	if err != nil || plain(now) != applied {
		return err
	}
	return s.set(ctx, h, now, was)
}

// root is the directory with a file for each key.
const root = "/proc/sys"

// errNoKey is the cause of errors about a key that the kernel does not have.
var errNoKey = errors.New("the kernel has no such key")

// livePath returns the path of the value in the running kernel.
func (s *Sysctl) livePath() address.Path { return address.Path(path.Join(root, slashed(s.Key))) }

// live returns the value in the running kernel, as the kernel prints it. The error wraps errNoKey if the
// kernel does not have the key.
func (s *Sysctl) live(ctx context.Context, h host.Host) (string, error) {
	at := s.livePath()
	_, text, err := textedit.Read(ctx, h, at)
	switch {
	case errors.Is(err, host.ErrUnreachable) || errors.Is(err, host.ErrRefused):
		return "", err
	case errors.Is(err, fs.ErrPermission):
		if denied, is := errors.AsType[*host.Error](err); is && host.RunsAsRoot(h) {
			err = denied // without the remedy, which is about immutable files
		}
		return "", diag.AttributeErrorf("key", "cannot read the value of %s: %w. A write-only key triggers an action and has no value: "+
			"use posix_command instead", dotted(s.Key), err)
	case err != nil:
		if info, _ := h.Lstat(ctx, string(at)); info.Type == host.TypeDirectory {
			err = fmt.Errorf("the key is a group of parameters: use one of the parameters in %s", at)
		}
		return "", diag.AttributeErrorf("key", "cannot read the value of %s on host %s: %w", dotted(s.Key), h.Name(), err)
	case text == nil:
		return "", s.missing(ctx, h)
	}
	return address.Shown(strings.TrimSpace(string(text))), nil
}

// missing returns the error about a key that does not exist.
func (s *Sysctl) missing(ctx context.Context, h host.Host) error {
	if _, err := h.Lstat(ctx, root); errors.Is(err, fs.ErrNotExist) {
		return diag.AttributeErrorf("key", "%w: host %s has no %s. Kernel parameters are only supported on Linux with /proc mounted", errNoKey, h.Name(), root)
	}
	return diag.AttributeErrorf("key", "%w: %s is not in %s on host %s. Check the spelling (sysctl -a lists all keys). "+
		"If a kernel module provides the key, load the module first (modprobe, and /etc/modules-load.d for the next boot). "+
		"If the key belongs to a network interface, create the interface first", errNoKey, dotted(s.Key), root, h.Name())
}

// writeValue writes a value to the file of a key with a single write, as the kernel
// requires.
const writeValue = `cat >"$1"`

// set sets the value in the running kernel, and verifies it. If the kernel prints a different value, or
// the result is unknown, set restores the previous value. The error contains a [refusedError] if the
// kernel does not accept the value, and a [notSetBackError] if the previous one is not restored.
func (s *Sysctl) set(ctx context.Context, h host.Host, now, value string) error {
	if plain(now) == plain(value) {
		return nil
	}
	err := s.write(ctx, h, value)
	if !host.MayHaveRun(err) {
		return err
	}
	if _, is := errors.AsType[*remotecmd.Failed](err); is {
		return s.rejected(h, value, err)
	}
	if err == nil {
		var is string
		switch is, err = s.live(ctx, h); {
		case err != nil:
		case plain(is) == plain(value):
			return nil
		case plain(is) == plain(now):
			return refusedErrorf("the kernel of host %s ignores the value %q for %s: the value is still %q",
				h.Name(), plain(value), dotted(s.Key), plain(is))
		default:
			err = refusedErrorf("the kernel of host %s accepts %q for %s, but prints it as %q. Configure the value as the kernel prints it",
				h.Name(), plain(value), dotted(s.Key), plain(is))
		}
	}
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	if kept := s.rejected(h, now, s.write(ctx, h, now)); kept != nil {
		return errors.Join(err, notSetBackError{kept})
	}
	return err
}

// notSetBackError is the error of a set that does not restore the previous value.
type notSetBackError struct{ error }

// Unwrap returns the cause.
func (e notSetBackError) Unwrap() error { return e.error }

// refusedError is the error of a value that the kernel does not accept.
type refusedError struct{ error }

func refusedErrorf(format string, args ...any) error {
	return diag.AttributeErrorf("value", "%w", refusedError{fmt.Errorf(format, args...)})
}

func (s *Sysctl) write(ctx context.Context, h host.Host, value string) error {
	call := remotecmd.Shell(writeValue, string(s.livePath()))
	call.Stdin = value + "\n"
	_, err := call.Run(ctx, h)
	return err
}

// rejected returns err, the error of a write of the value, or, if the kernel rejected the value, a
// [refusedError] with the reason and the remedy.
func (s *Sysctl) rejected(h host.Host, value string, err error) error {
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		remedy := "Setting a kernel parameter requires root and a writable /proc/sys. In a container, set the parameter in the settings of the container"
		if strings.Contains(failed.Stderr, "Invalid argument") {
			remedy = "The value is not valid for this key"
		}
		return refusedErrorf("the kernel of host %s rejects %q for %s: %s. %s",
			h.Name(), plain(value), dotted(s.Key), strings.TrimSpace(failed.Stderr), remedy)
	}
	return err
}

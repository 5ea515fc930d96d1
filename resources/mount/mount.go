package mount

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object]. The key differs from that of the directory that is the
// mount point.
func (m *Mount) Place() (*string, lifecycle.Key) {
	return m.Host, lifecycle.NameKey("mount", string(m.Path))
}

// RootOnly implements [lifecycle.RootOnly].
func (*Mount) RootOnly() string { return "mounts" }

// Preflight implements [lifecycle.Preflighter].
func (m *Mount) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	_, s, err := m.checkAdoptable(ctx, h)
	if err != nil {
		return err
	}
	if difference := s.difference(m.entry()); difference != "" {
		runtime.Warn(ctx, "options", "Mounted with other options",
			fmt.Sprintf("%s on host %s is not mounted with the configured options: %s. The apply remounts it.", m.Path, h.Name(), difference))
	}
	return nil
}

// checkAdoptable returns the existing line and the state of the mount. It returns an error if the line differs
// from the configuration, if another file system is mounted, or if any is mounted although the attribute mounted is
// false. A create remounts a file system with other options.
func (m *Mount) checkAdoptable(ctx context.Context, h host.Host) (*entry, *mountState, error) {
	was, err := readEntry(ctx, h, string(m.Path))
	if err != nil {
		return nil, nil, err
	}
	if err := m.checkEntry(h)(was); err != nil {
		return nil, nil, err
	}
	s, err := readState(ctx, h, string(m.Path), m.Source)
	if err != nil {
		return nil, nil, err
	}
	switch {
	case s.visible == nil:
	case !s.matches(m.entry()):
		return nil, nil, diag.AttributeErrorf("path", "another file system is mounted at %s on host %s: %s of type %s. Unmount it, or change the configuration",
			m.Path, h.Name(), s.visible.source, s.visible.fsType)
	case !m.Mounted:
		return nil, nil, diag.AttributeErrorf("mounted", "%s is mounted at %s on host %s, and a create does not unmount it. Unmount it, or set mounted = true",
			host.QuotePath(s.visible.source), m.Path, h.Name())
	}
	return was, s, nil
}

// checkEntry returns a function that returns an error for a line that differs from the
// configuration.
func (m *Mount) checkEntry(h host.Host) func(was *entry) error {
	return func(was *entry) error {
		if was == nil || was.equal(m.entry()) {
			return nil
		}
		return lifecycle.ConflictErrorf("path", "%s on host %s already has a line for %s, which differs from the configuration. "+
			"To manage it, import it (id %q); a plan then shows what would change. Or remove the line", fstab, h.Name(), m.Path, h.Name()+":"+string(m.Path))
	}
}

// Create implements [runtime.TypedResource].
func (m *Mount) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	was, s, err := m.checkAdoptable(ctx, h)
	if err != nil {
		return nil, err
	}
	e := m.entry()
	conflict := false // whether fstab now has a line that differs from the configuration
	err = writeEntry(ctx, scope, e.path, &e, func(was *entry) error {
		err := m.checkEntry(h)(was)
		conflict = err != nil
		return err
	})
	switch {
	case conflict:
		return nil, err
	case err != nil: // the line may have been written
		return nil, errors.Join(err, m.undoCreate(ctx, scope, was, s, nil))
	}
	if made, err := m.reconcile(ctx, h, s, s.bindSource(e), false); err != nil {
		return nil, errors.Join(err, m.undoCreate(ctx, scope, was, s, made))
	}
	return m.applied(ctx, h), nil
}

// appliedLine is the key of private data with the line that was last applied, without most of its options: some have passwords.
const appliedLine = "line"

// applied returns the output of a mount that is as configured, and stores its line.
func (m *Mount) applied(ctx context.Context, h host.Host) *Output {
	e := m.entry()
	line := e
	line.options = []string{"defaults"}
	for _, option := range e.options {
		if one := []string{option}; isBind(one) || isAutomount(one) { // for Delete
			line.options = append(line.options, option)
		}
	}
	runtime.Private(ctx).Set(appliedLine, []byte(strings.Join(line.fields(), " ")))
	return output(h, e, m.Mounted)
}

// undoCreate restores fstab after a failed create, and unmounts what the create mounted. made is the state in
// which the file system that the create mounted is visible. If made is nil, undoCreate unmounts nothing, and
// returns an error that lists the file systems at the path that are not in before, if there are any.
func (m *Mount) undoCreate(ctx context.Context, scope *lifecycle.Scope, was *entry, before, made *mountState) error {
	h := scope.Host
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	err := writeEntry(ctx, scope, string(m.Path), was, anyEntry)
	if made != nil {
		return errors.Join(err, m.unmount(ctx, h, made, made.bindSource(m.entry())))
	}
	now, stateErr := readState(ctx, h, string(m.Path), m.Source)
	if stateErr != nil {
		return errors.Join(err, stateErr)
	}
	var kept []string
	for _, other := range now.added(before) {
		kept = append(kept, fmt.Sprintf("%s of type %s", host.QuotePath(other.source), other.fsType))
	}
	if len(kept) > 0 {
		err = errors.Join(err, fmt.Errorf("not unmounted: another program may have mounted the file systems at %s on host %s: %s. Unmount them and apply again",
			m.Path, h.Name(), diag.List(kept, 10)))
	}
	return err
}

// Read implements [runtime.TypedResource]. The mount is compared with the line, not with the state: the line may have
// been changed without the mount, for example by an update that was killed. While systemd waits to mount the file system,
// mounted has the configured value, or the default after an import.
func (m *Mount) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	e, err := readEntry(ctx, h, string(prior.Path))
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, fmt.Errorf("%w: %s on host %s has no line for %s", runtime.ErrNotFound, fstab, h.Name(), prior.Path)
	}
	s, err := readState(ctx, h, e.path, e.source)
	if err != nil {
		return nil, err
	}
	out := output(h, *e, s.visible != nil || s.automounts(*e) && (m.Mounted || m.Source == ""))
	if difference := s.difference(*e); difference != "" {
		out.MountedOtherwise = &difference
	}
	return out, nil
}

// Update implements [runtime.TypedResource].
func (m *Mount) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Mount, *Output]) (*Output, error) {
	h := scope.Host
	e := m.entry()
	was, err := readEntry(ctx, h, e.path)
	if err != nil {
		return nil, err
	}
	s, err := readState(ctx, h, e.path, e.source)
	if err != nil {
		return nil, err
	}
	kept := false // whether the line is kept because the plan did not show it
	shown := func(was *entry) error {
		if was == nil || was.equal(e) {
			return nil
		}
		now := output(h, *was, prior.Observed.Mounted)
		now.Host, now.MountedOtherwise = prior.Observed.Host, prior.Observed.MountedOtherwise
		if !runtime.Changed(now, prior.Observed) {
			return nil
		}
		kept = true
		return lifecycle.PartChangedAfterPlan("path", h, fmt.Sprintf("the line of %s in %s", m.Path, fstab))
	}
	if err := shown(was); err != nil {
		return nil, err
	}
	bindSource, err := m.checkUnmount(ctx, h, s, prior)
	if err != nil {
		return nil, err
	}
	if err := writeEntry(ctx, scope, e.path, &e, shown); err != nil {
		if kept {
			return nil, err
		}
		// The line may have been written, although the old file system is still mounted.
		return nil, errors.Join(err, m.undoUpdate(ctx, scope, was, s, nil))
	}
	optionsChanged := !slices.Equal(kernelOptions(prior.Inputs.Options), kernelOptions(m.Options))
	now := s
	if s.hasAutofs() && !isAutomount(m.Options) && (isAutomount(prior.Inputs.Options) || was != nil && isAutomount(was.options)) {
		if now, err = m.stopAutomount(ctx, h, s, bindSource); err != nil {
			return nil, errors.Join(err, m.undoUpdate(ctx, scope, was, s, nil))
		}
	}
	if made, err := m.reconcile(ctx, h, now, bindSource, optionsChanged); err != nil {
		return nil, errors.Join(err, m.undoUpdate(ctx, scope, was, s, made))
	}
	return m.applied(ctx, h), nil
}

// checkUnmount returns [mountState.bindSource] of the visible file system, or an empty string if only
// mounted_otherwise of the plan shows that file system. It returns an error if the update would unmount a file
// system that neither the state nor the plan showed: another program mounted it after the plan.
func (m *Mount) checkUnmount(ctx context.Context, h host.Host, s *mountState, prior runtime.Prior[Mount, *Output]) (string, error) {
	e := m.entry()
	if s.visible == nil || s.matches(e) {
		return s.bindSource(e), nil
	}
	for _, known := range []*Output{prior.Observed, prior.Outputs} { // as in the line, and as last applied
		as := entry{source: known.Source, fsType: known.Type, options: known.Options}
		now, err := readState(ctx, h, e.path, as.source)
		if err != nil {
			return "", err
		}
		if now.visible == nil || now.matches(as) {
			return now.bindSource(as), nil
		}
	}
	if planned := prior.Observed.MountedOtherwise; planned != nil && *planned == s.difference(e) {
		return "", nil
	}
	return "", lifecycle.PartChangedAfterPlan("path", h, fmt.Sprintf("the file system at %s, now %s of type %s,", m.Path, s.visible.source, s.visible.fsType))
}

// undoUpdate restores the line after a failed update, unmounts what the update mounted, and mounts
// what the update unmounted, or lets systemd mount it on access again. made is as for undoCreate.
func (m *Mount) undoUpdate(ctx context.Context, scope *lifecycle.Scope, was *entry, before, made *mountState) error {
	h := scope.Host
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout)
	defer cancel()
	err := writeEntry(ctx, scope, string(m.Path), was, anyEntry)
	if made != nil {
		err = errors.Join(err, m.unmount(ctx, h, made, made.bindSource(m.entry())))
	}
	switch {
	case err != nil || was == nil:
		return err
	case isAutomount(was.options) && before.hasAutofs():
		return startAutomount(ctx, h, was.path)
	case before.visible == nil:
		return nil
	}
	s, err := readState(ctx, h, was.path, was.source)
	if err != nil || s.visible != nil {
		return err
	}
	old := Mount{Path: m.Path, Source: was.source, Type: was.fsType, Options: was.options, Mounted: true}
	_, err = old.mount(ctx, h)
	return err
}

// Delete implements [runtime.TypedResource]. It unmounts the file system of the line in the state or of the line that was
// last applied: the line may have been changed since.
func (m *Mount) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	h, e := scope.Host, m.entry()
	s, err := readState(ctx, h, e.path, e.source)
	if err != nil {
		return err
	}
	was, is := parseLine(string(runtime.Private(ctx).Get(appliedLine)))
	if is && s.visible != nil && !s.matches(e) {
		e = was
		if s, err = readState(ctx, h, e.path, e.source); err != nil {
			return err
		}
	}
	bindSource := s.bindSource(e)
	switch {
	case s.visible != nil && !s.matches(e):
		runtime.Warn(ctx, "", "Not unmounted: another file system is mounted", fmt.Sprintf("At %s on host %s, %s of type %s is mounted, which is not the "+
			"managed file system. It stays mounted.", m.Path, h.Name(), s.visible.source, s.visible.fsType))
	case (isAutomount(m.Options) || isAutomount(was.options)) && s.hasAutofs():
		_, err = m.stopAutomount(ctx, h, s, bindSource)
	case s.visible != nil:
		err = m.unmount(ctx, h, s, bindSource)
	}
	if err != nil {
		return err
	}
	return writeEntry(ctx, scope, string(m.Path), nil, anyEntry)
}

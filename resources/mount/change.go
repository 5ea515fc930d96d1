package mount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// reloadGrace is how long a reload of systemd may continue after the run was interrupted. The next refresh does not find a
// line that was removed, so no later delete would reload systemd. While systemd has the unit of the removed line, it
// unmounts any file system that is mounted at the path if the device of that line is missing.
const reloadGrace = 10 * time.Second

// editFstab edits fstab. If the file changes and systemd runs, systemd reloads its units.
func editFstab(ctx context.Context, scope *lifecycle.Scope, do func(was []byte) ([]byte, error)) error {
	h := scope.Host
	changed := false
	_, err := textedit.File(ctx, scope, fstab, host.Attributes{}, func(was []byte) ([]byte, error) {
		is, err := do(was)
		changed = err == nil && string(is) != string(was)
		return is, err
	})
	if err != nil || !changed {
		return err
	}
	ctx, cancel := graceperiod.With(ctx, reloadGrace)
	defer cancel()
	_, err = remotecmd.Shell(`if [ -d /run/systemd/system ]; then exec systemctl daemon-reload; fi`).Run(ctx, h)
	return err
}

// writeEntry sets the line of a path, or removes the line if e is nil. check returns an error
// for a line that must not be replaced or removed.
func writeEntry(ctx context.Context, scope *lifecycle.Scope, at string, e *entry, check func(was *entry) error) error {
	h := scope.Host
	return editFstab(ctx, scope, func(was []byte) ([]byte, error) {
		is, err := singleEntry(h, was, at)
		if err == nil {
			err = check(is)
		}
		switch {
		case err != nil:
			return nil, err
		case e != nil:
			return setEntry(was, *e), nil
		case is == nil:
			return was, nil
		}
		return removeEntry(was, at), nil
	})
}

func anyEntry(*entry) error { return nil }

// reconcile makes the mount match the configuration. If options have changed, reconcile remounts
// the file system, because the kernel does not show all options. bindSource is as for unmount. The results
// are those of mount.
func (m *Mount) reconcile(ctx context.Context, h host.Host, s *mountState, bindSource string, optionsChanged bool) (*mountState, error) {
	e := m.entry()
	switch {
	case !m.Mounted && s.visible == nil, s.automounts(e):
		return nil, nil
	case !m.Mounted:
		return nil, m.unmount(ctx, h, s, bindSource)
	case s.visible != nil && !s.matches(e):
		if err := m.unmount(ctx, h, s, bindSource); err != nil {
			return nil, err
		}
		now, err := readState(ctx, h, e.path, e.source)
		switch {
		case err != nil:
			return nil, err
		case now.visible != nil && now.matches(e): // the other file system hid the managed one
			return m.reconcile(ctx, h, now, now.bindSource(e), optionsChanged)
		}
		return m.mount(ctx, h)
	case s.visible == nil:
		return m.mount(ctx, h)
	case optionsChanged || s.difference(e) != "":
		return nil, m.remount(ctx, h, s)
	}
	return nil, nil
}

// mount mounts with the options in fstab, so that they do not appear in the list of
// processes. It returns the state in which the file system that it mounted is visible, even with an error;
// nil if there is none, or if another program may have mounted the visible one. The caller must ensure
// that no file system that matches the configuration is visible.
func (m *Mount) mount(ctx context.Context, h host.Host) (*mountState, error) {
	if err := m.makeDirectory(ctx, h); err != nil {
		return nil, err
	}
	_, mountErr := remotecmd.Run(ctx, h, "mount", string(m.Path))
	failed, is := errors.AsType[*remotecmd.Failed](mountErr)
	if mountErr != nil {
		mountErr = fmt.Errorf("cannot mount %s at %s on host %s: %w", host.QuotePath(m.Source), m.Path, h.Name(), mountErr)
	}
	if is && failed.Signal == "" {
		return nil, mountErr
	}
	ctx, cancel := host.WithoutCancel(ctx, host.UndoTimeout) // the file system may be mounted although ctx has ended
	defer cancel()
	s, err := readState(ctx, h, string(m.Path), m.Source)
	if err != nil {
		return nil, errors.Join(mountErr, err)
	}
	e := m.entry()
	switch {
	case mountErr != nil:
	case isBind(e.options) && s.matches(e) && s.difference(e) != "":
		err = m.remount(ctx, h, s) // busybox calls mount(2) once, which ignores the flags of a bind mount
	default:
		err = m.verify(h, s)
	}
	if s.visible == nil || !s.matches(e) {
		s = nil
	}
	return s, cmp.Or(mountErr, err)
}

// remount applies changed options. They are arguments, since not every mount(8) reads
// fstab for a remount.
func (m *Mount) remount(ctx context.Context, h host.Host, s *mountState) error {
	before, err := m.confirm(ctx, h, s, "not remounted")
	switch {
	case err != nil:
		return err
	case before.visible == nil:
		return fmt.Errorf("not remounted: another program unmounted %s on host %s during the apply. Apply again", m.Path, h.Name())
	}
	if _, err := remotecmd.Run(ctx, h, "mount", "-o", strings.Join(remountOptions(m.Options), ","), string(m.Path)); err != nil {
		return diag.AttributeErrorf("options", "cannot remount %s on host %s with the new options: %w. Options that cannot be changed while the file system is mounted "+
			"require two applies: one with mounted = false, and one with mounted = true", m.Path, h.Name(), err)
	}
	now, err := readState(ctx, h, string(m.Path), m.Source)
	if err != nil {
		return err
	}
	return m.verify(h, now)
}

// verify returns an error if the mount differs from the configuration: every plan would
// show a change that no apply can make.
func (m *Mount) verify(h host.Host, s *mountState) error {
	if s.visible == nil {
		return fmt.Errorf("mount(8) succeeded for %s on host %s, but nothing is mounted there. If another program unmounts the file system, stop that program and apply again", m.Path, h.Name())
	}
	e, v := m.entry(), s.visible
	if strings.HasPrefix(v.fsType+".", "fuse.") && slices.ContainsFunc(strings.Split(e.fsType, ","), v.hasType) && !s.matches(e) {
		return diag.AttributeErrorf("options", "%s was mounted on host %s, but with the source %s instead of %s, because the program of a FUSE file system "+
			"determines it. Add the option fsname=%[4]s, which most of these programs support", m.Path, h.Name(), host.QuotePath(v.source), m.Source)
	}
	if difference := s.difference(e); difference != "" {
		return diag.AttributeErrorf("options", "%s was mounted on host %s, but differs from the configuration: %s. If the type "+
			"of the file system determines this (iso9660, for example, is always ro), change the configuration", m.Path, h.Name(), difference)
	}
	return nil
}

func (m *Mount) makeDirectory(ctx context.Context, h host.Host) error {
	_, err := h.Lstat(ctx, string(m.Path))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !m.CreateDirectory {
		return diag.AttributeErrorf("path", "mount point %s does not exist on host %s: create it first, for example with posix_directory, or set create_directory = true",
			m.Path, h.Name())
	}
	return hostpath.InDirectory(ctx, h, m.Path, true, func() error {
		_, err := h.Mkdir(ctx, string(m.Path), host.Attributes{Mode: new(host.Mode(0o755))})
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
}

// confirm returns the current state. It returns an error, which starts with prefix, if another program has
// mounted a file system at the path since s was read, or if the visible one is ambiguous: mount(8) and
// umount(8) only get the path.
func (m *Mount) confirm(ctx context.Context, h host.Host, s *mountState, prefix string) (*mountState, error) {
	now, err := readState(ctx, h, string(m.Path), m.Source)
	switch {
	case err != nil || now.visible == nil:
		return now, err
	case !now.visible.same(*s.visible):
		return nil, fmt.Errorf("%s: during the apply, another program mounted %s of type %s at %s on host %s. Unmount it, or create a new plan, "+
			"which shows what the apply would unmount", prefix, host.QuotePath(now.visible.source), now.visible.fsType, m.Path, h.Name())
	case now.ambiguous():
		return nil, fmt.Errorf("%s: at %s on host %s, several file systems of type %s with the source %s are mounted one over another, and only one is managed. "+
			"Unmount the others and apply again", prefix, m.Path, h.Name(), now.visible.fsType, host.QuotePath(now.visible.source))
	}
	return now, nil
}

// unmountCopiesScript unmounts a bind mount and the copies below it. The parameters are its path, the propagation to
// restore after a failure, and for each mount, the deepest first, its path and the directory of which it is a bind mount.
// All are first made slaves: otherwise the kernel would also unmount the originals of shared mounts. If one cannot be
// unmounted, those that the script has already unmounted are mounted again.
const unmountCopiesScript = `unmount() {
  [ $# -gt 0 ] || return 0
  umount "$1" || return
  (shift 2; unmount "$@") || { mount --bind "$2" "$1" && mount --make-slave "$1"; return 1; }
}
at=$1 propagation=$2
shift 2
mount --make-rslave "$at" || exit
unmount "$@" || { mount "--make-r$propagation" "$at"; exit 1; }`

// unmount unmounts the file system that is visible at the path, if it is that of s. If it is a bind mount, bindSource is the
// canonical path of its source, and the copies below it are unmounted too; otherwise bindSource is empty.
func (m *Mount) unmount(ctx context.Context, h host.Host, s *mountState, bindSource string) error {
	before, err := m.confirm(ctx, h, s, "not unmounted")
	if err != nil || before.visible == nil { // unmounted by another program
		return err
	}
	below := mountsBelow(before.mounts, s.path)
	others := below
	if bindSource != "" && len(below) > 0 {
		_, lines, err := textedit.Read(ctx, h, fstab)
		if err != nil {
			return err
		}
		others = before.notCopies(bindSource, lines)
	}
	if len(below) > 0 && len(others) == 0 {
		args := []string{s.path, before.visible.propagation}
		for _, at := range slices.Backward(below) { // the deepest first
			args = append(args, at, path.Join(bindSource, strings.TrimPrefix(at, s.path)))
		}
		_, err = remotecmd.Shell(unmountCopiesScript, append(args, s.path, bindSource)...).Run(ctx, h)
	} else {
		_, err = remotecmd.Run(ctx, h, "umount", s.path)
	}
	failed, is := errors.AsType[*remotecmd.Failed](err)
	switch {
	case !is:
		return err
	case strings.Contains(failed.Stderr, "busy"):
		return fmt.Errorf("%w. %s", err, explainBusy(ctx, h, s.path, slices.Compact(others)))
	}
	now, stateErr := readState(ctx, h, string(m.Path), m.Source)
	if stateErr == nil && now.visible == nil {
		return nil // unmounted by another program
	}
	return err
}

// The scripts stop and start the unit of systemd that mounts a file system when its path, the parameter, is used.
const (
	automountUnit = `[ -d /run/systemd/system ] || exit 0
unit=$(systemd-escape --path --suffix=automount "$1") || exit
`
	stopAutomountScript = automountUnit + `systemctl is-active --quiet "$unit" || exit 0
exec systemctl stop "$unit"`
	startAutomountScript = automountUnit + `exec systemctl start "$unit"`
)

// stopAutomount unmounts the file system and stops the automount unit that systemd has generated from its line: without the
// line, systemd would not stop it. Stopping the unit detaches a mounted file system even if it is in use, so the
// file system is unmounted first. stopAutomount returns the new state.
func (m *Mount) stopAutomount(ctx context.Context, h host.Host, s *mountState, bindSource string) (*mountState, error) {
	if s.visible != nil {
		if err := m.unmount(ctx, h, s, bindSource); err != nil {
			return nil, err
		}
	}
	if _, err := remotecmd.Shell(stopAutomountScript, s.path).Run(ctx, h); err != nil {
		return nil, err
	}
	return readState(ctx, h, string(m.Path), m.Source)
}

// startAutomount starts the automount unit of a line that has been restored.
func startAutomount(ctx context.Context, h host.Host, at string) error {
	_, err := remotecmd.Shell(startAutomountScript, at).Run(ctx, h)
	return err
}

// openFilesScript prints the names of all processes, and the files that each has open
// or otherwise in use.
const openFilesScript = `grep -s . /proc/[0-9]*/comm /dev/null
ls -l /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe /proc/[0-9]*/fd /proc/[0-9]*/map_files 2>/dev/null
exit 0`

// explainBusy returns the reason why the file system at a path is busy, and the remedy. below has the file
// systems that are mounted below it and that are not unmounted with it.
func explainBusy(ctx context.Context, h host.Host, at string, below []string) string {
	if len(below) > 0 {
		return fmt.Sprintf("Other file systems are mounted below it: %s. Unmount these first; if this configuration manages them, make them depend on this resource", strings.Join(below, ", "))
	}
	r, err := remotecmd.Shell(openFilesScript).Run(ctx, h)
	users := parseOpenFiles(r.Stdout, at)
	if err != nil || len(users) == 0 {
		return "It is in use, by the kernel or by a process that is not visible: a loop device, swap, an NFS server, or a process of another user. End this use and apply again"
	}
	return fmt.Sprintf("It is in use by %s. Stop every process that uses it, and apply again", diag.List(users, 10))
}

// parseOpenFiles returns the processes that use a file at or below a path, from the
// output of openFilesScript.
func parseOpenFiles(output, at string) []string {
	names, uses := map[string]string{}, map[string]bool{}
	var pid string // process of the following lines
	for line := range strings.SplitSeq(output, "\n") {
		file, target, link := strings.Cut(line, " -> ")
		if rest, is := strings.CutPrefix(line, "/proc/"); is && !link {
			id, what, _ := strings.Cut(rest, "/")
			if name, named := strings.CutPrefix(what, "comm:"); named {
				names[id] = name
			}
			pid = id
			continue
		}
		if !link {
			continue
		}
		of := pid
		if _, rest, is := strings.Cut(file, " /proc/"); is {
			of, _, _ = strings.Cut(rest, "/")
		}
		if target == at || strings.HasPrefix(target, strings.TrimSuffix(at, "/")+"/") {
			uses[of] = true
		}
	}
	var users []string
	for id := range uses {
		users = append(users, strings.TrimSpace(fmt.Sprintf("%s (process %s)", names[id], id)))
	}
	slices.Sort(users)
	return users
}

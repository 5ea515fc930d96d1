package faulttest_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// version is a state of a path: a file with this content and mode, or a
// link with this target.
type version struct {
	content string
	mode    uint32
	target  string
}

// watcher records invalid states of a directory while other processes write to it. It reads all
// files after events, and processes each event of the kernel, so that it misses no step: content and
// mode must be set under a temporary name, and secret files must be private from their creation.
type watcher struct {
	dir   string
	allow map[string][]version // by name
	// private is true for the temporary name of a file that is secret in all versions.
	private map[string]bool

	events  *os.File
	changed chan struct{} // receives a value after events
	done    chan struct{}
	closed  chan struct{} // closed when no more events are processed
	wg      sync.WaitGroup

	mu      sync.Mutex
	bad     []string
	removes bool                   // files may be removed
	armed   func(name string) bool // called on each event until it returns true
}

func watch(t *testing.T, dir string, allow map[string][]version) *watcher {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	resourcetest.Must(t, err)
	_, err = unix.InotifyAddWatch(fd, dir,
		unix.IN_CREATE|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_CLOSE_WRITE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO|unix.IN_DELETE)
	resourcetest.Must(t, err)
	w := &watcher{
		dir: dir, allow: allow, private: map[string]bool{}, events: os.NewFile(uintptr(fd), "inotify"),
		changed: make(chan struct{}, 1), done: make(chan struct{}), closed: make(chan struct{}),
	}
	for name, versions := range allow {
		public := func(v version) bool { return v.mode != 0o600 }
		w.private[host.TempPath(name, "")] = !slices.ContainsFunc(versions, public)
	}
	w.wg.Go(w.poll)
	w.wg.Go(w.listen)
	return w
}

// stop stops the watcher and returns at most 20 invalid states.
func (w *watcher) stop() []string {
	w.catchUp()
	close(w.done)
	_ = w.events.Close() // ends listen; no events are lost
	w.wg.Wait()
	return w.bad
}

// catchUp waits until all events up to now are processed. It replaces the armed function.
func (w *watcher) catchUp() {
	const last = ".last.posix-tmp"
	path, known := filepath.Join(w.dir, last), make(chan struct{})
	w.arm(func(name string) bool {
		if name == last {
			close(known)
		}
		return name == last
	})
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Remove(path)); err != nil {
		w.report("catch up with the events: %v", err)
		return
	}
	select {
	case <-known:
	case <-w.closed:
	}
}

// mayRemove runs f, and accepts that it removes files.
func (w *watcher) mayRemove(f func()) {
	set := func(to bool) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.removes = to
	}
	set(true)
	defer set(false)
	f()
	w.catchUp()
}

// arm calls f on each event until it returns true, or until the next call of arm.
func (w *watcher) arm(f func(name string) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = f
}

func (w *watcher) report(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := fmt.Sprintf(format, args...); len(w.bad) < 20 && !slices.Contains(w.bad, text) {
		w.bad = append(w.bad, text)
	}
}

func (w *watcher) poll() {
	for {
		select {
		case <-w.done:
			w.checkAll()
			return
		case <-w.changed:
			w.checkAll()
		}
	}
}

func (w *watcher) checkAll() {
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		w.report("read the directory: %v", err)
	}
	for _, e := range entries {
		w.check(e.Name(), e.Type())
	}
}

// check reports the file called name if its state is invalid.
func (w *watcher) check(name string, kind fs.FileMode) {
	path := filepath.Join(w.dir, name)
	var found version
	var err error
	if kind&fs.ModeSymlink != 0 {
		found.target, err = os.Readlink(path)
	} else {
		found, err = w.read(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.report("check %s: %v", name, err)
		return
	}
	if strings.Contains(found.content, secretMark) && found.mode&0o077 != 0 {
		w.report("%s has secret content and mode %04o", name, found.mode)
	}
	if host.IsTempPath(path) {
		return // its content may be incomplete
	}
	if !slices.Contains(w.allow[name], found) {
		content := found.content
		if len(content) > 200 {
			content = fmt.Sprintf("%s… (%d bytes)", content[:200], len(content))
		}
		w.report("%s is neither the old nor the new version: mode %04o, content %q, target %q", name, found.mode, content, found.target)
	}
}

// read returns the content and the mode of a file. The mode has all permissions that the
// opened file had before or after the read.
func (w *watcher) read(path string) (version, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ELOOP) {
		return version{}, fs.ErrNotExist // the file was replaced by a link: checked in the next round
	}
	if err != nil {
		return version{}, err
	}
	defer f.Close()
	var before, after unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &before); err != nil {
		return version{}, err
	}
	content, err := io.ReadAll(f)
	if err != nil {
		return version{}, err
	}
	if err := unix.Fstat(int(f.Fd()), &after); err != nil {
		return version{}, err
	}
	return version{content: string(content), mode: (before.Mode | after.Mode) & 0o7777}, nil
}

// listen processes events until the watcher stops.
func (w *watcher) listen() {
	defer close(w.closed)
	buf := make([]byte, 64<<10)
	for {
		n, err := w.events.Read(buf)
		if err != nil {
			if !errors.Is(err, os.ErrClosed) {
				w.report("read events: %v", err)
			}
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			mask := binary.NativeEndian.Uint32(rest[4:])
			end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(rest[12:]))
			w.handle(mask, strings.TrimRight(string(rest[unix.SizeofInotifyEvent:end]), "\x00"))
			rest = rest[end:]
		}
	}
}

// target returns the final name of a temporary file.
func target(temp string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(temp, "."), ".posix-tmp")
	return name
}

// handle checks one event and calls the armed function.
func (w *watcher) handle(mask uint32, name string) {
	changed, written := mask&unix.IN_ATTRIB != 0, mask&(unix.IN_MODIFY|unix.IN_CLOSE_WRITE) != 0
	gone := mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0
	w.mu.Lock()
	removes := w.removes
	w.mu.Unlock()
	switch temporary := host.IsTempPath(name); {
	case written && !temporary:
		w.report("%s was written in place", name)
	case gone && !temporary && !removes:
		w.report("%s was removed, not replaced", name)
	case changed && !temporary:
		w.report("the mode of %s was changed in place", name)
	case changed && w.private[host.TempPath(target(name), "")]:
		w.report("the mode of %s was changed after its creation", name)
	}
	w.mu.Lock()
	if w.armed != nil && w.armed(name) {
		w.armed = nil
	}
	w.mu.Unlock()
	select {
	case w.changed <- struct{}{}:
	default: // a check is already due
	}
}

// TestWatcher checks that a watcher reports invalid states and accepts valid ones.
func TestWatcher(t *testing.T) {
	t.Parallel()
	secret := version{content: secretMark + " of old", mode: 0o600}
	public := version{content: "new", mode: 0o644}
	for name, tt := range map[string]struct {
		do   func(dir string) error
		want string
	}{
		"incomplete content": {func(dir string) error {
			return os.WriteFile(dir+"/file", []byte("ne"), 0o644)
		}, "neither the old nor the new version"},
		"written in place": {func(dir string) error {
			return os.WriteFile(dir+"/file", []byte("new"), 0o644)
		}, "file was written in place"},
		"another mode": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.x.posix-tmp", []byte("new"), 0o600), os.Rename(dir+"/.x.posix-tmp", dir+"/file"))
		}, "neither the old nor the new version: mode 0600"},
		"secret in a temporary file": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.file.posix-tmp", []byte("part of SECRET"), 0o600), os.Chmod(dir+"/.file.posix-tmp", 0o604))
		}, ".file.posix-tmp has secret content and mode 0604"},
		"unexpected name": {func(dir string) error {
			return os.Symlink("new", dir+"/file2")
		}, "file2 is neither"},
		"mode changed after the rename": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.x.posix-tmp", []byte("new"), 0o600), os.Rename(dir+"/.x.posix-tmp", dir+"/file"), os.Chmod(dir+"/file", 0o644))
		}, "the mode of file was changed in place"},
		"mode of a private file changed after its creation": {func(dir string) error {
			temp := dir + "/.private.posix-tmp"
			return errors.Join(os.WriteFile(temp, []byte(secret.content), 0o644), os.Chmod(temp, 0o600), os.Rename(temp, dir+"/private"))
		}, "the mode of .private.posix-tmp was changed after its creation"},
		"mode of a variant of the temporary name changed": {func(dir string) error {
			temp := dir + "/.private.posix-tmp-variant"
			return errors.Join(os.WriteFile(temp, nil, 0o644), os.Chmod(temp, 0o600), os.Rename(temp, dir+"/private"), os.Remove(dir+"/private"))
		}, "the mode of .private.posix-tmp-variant was changed after its creation"},
		"removed and created again": {func(dir string) error {
			return errors.Join(os.Symlink("new", dir+"/link"), os.Remove(dir+"/link"), os.Symlink("new", dir+"/link"))
		}, "link was removed, not replaced"},
		"valid": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.x.posix-tmp", []byte("new"), 0o600), os.Chmod(dir+"/.x.posix-tmp", 0o644), os.Rename(dir+"/.x.posix-tmp", dir+"/file"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := watch(t, dir, map[string][]version{"file": {secret, public}, "private": {secret}, "link": {{target: "new"}}})
			resourcetest.Must(t, tt.do(dir))
			got := strings.Join(w.stop(), "; ")
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("saw %q, want %q", got, tt.want)
			}
		})
	}
}

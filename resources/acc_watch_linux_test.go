package resources_test

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
)

// version is what may be at a path: a file with this content and mode, or a link
// with this target.
type version struct {
	content string
	mode    uint32
	target  string
}

// secretMark is in content that only its owner may read, under whatever name.
const secretMark = "SECRET"

// watcher looks at a folder as fast as it can while others write there, and
// notes what should never be seen. What the kernel reports of each single write
// and rename is looked at too, so that a file which is written in place is not
// missed between two looks.
type watcher struct {
	dir   string
	allow map[string][]version // by name

	events *os.File
	done   chan struct{}
	wg     sync.WaitGroup

	mu    sync.Mutex
	bad   []string
	looks int
	armed func() bool // called on each event until it returns true
}

func watch(t *testing.T, dir string, allow map[string][]version) *watcher {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	must(t, err)
	_, err = unix.InotifyAddWatch(fd, dir,
		unix.IN_CREATE|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_CLOSE_WRITE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO)
	must(t, err)
	w := &watcher{dir: dir, allow: allow, events: os.NewFile(uintptr(fd), "inotify"), done: make(chan struct{})}
	w.wg.Go(w.poll)
	w.wg.Go(w.listen)
	return w
}

// stop ends it and returns what was seen that should not have been.
func (w *watcher) stop() []string {
	close(w.done)
	_ = w.events.Close() // ends listen; nothing is lost
	w.wg.Wait()
	return w.bad
}

// arm has f called on each event from now on, until it returns true.
func (w *watcher) arm(f func() bool) {
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
			return
		default:
		}
		entries, err := os.ReadDir(w.dir)
		if err != nil {
			w.report("read the folder: %v", err)
			return
		}
		for _, e := range entries {
			w.look(e.Name(), e.Type())
		}
		w.mu.Lock()
		w.looks++
		w.mu.Unlock()
	}
}

// look checks what has a name now.
func (w *watcher) look(name string, kind fs.FileMode) {
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
		w.report("look at %s: %v", name, err)
		return
	}
	if strings.Contains(found.content, secretMark) && found.mode&0o077 != 0 {
		w.report("%s has secret content and mode %04o", name, found.mode)
	}
	if host.IsTempPath(path) {
		return // part of a file, or all of it
	}
	if !slices.Contains(w.allow[name], found) {
		content := found.content
		if len(content) > 200 {
			content = fmt.Sprintf("%s… (%d bytes)", content[:200], len(content))
		}
		w.report("%s is neither the old nor the new: mode %04o, content %q, target %q", name, found.mode, content, found.target)
	}
}

// read reads a file with the weakest mode that it had before and after, which
// is that of the opened file and not of its name.
func (w *watcher) read(path string) (version, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW, 0)
	if errors.Is(err, unix.ELOOP) {
		return version{}, fs.ErrNotExist // it was a file and is a link: looked at in the next round
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

// listen checks each event and hands it on to what is armed.
func (w *watcher) listen() {
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
			name := strings.TrimRight(string(rest[unix.SizeofInotifyEvent:end]), "\x00")
			rest = rest[end:]
			if mask&(unix.IN_MODIFY|unix.IN_CLOSE_WRITE) != 0 && !host.IsTempPath(name) {
				w.report("%s was written in place", name)
			}
			w.mu.Lock()
			if w.armed != nil && w.armed() {
				w.armed = nil
			}
			w.mu.Unlock()
		}
	}
}

// TestWatcher sees what the kill test looks for, once.
func TestWatcher(t *testing.T) {
	t.Parallel()
	secret := version{content: secretMark + " of old", mode: 0o600}
	public := version{content: "new", mode: 0o644}
	for name, tt := range map[string]struct {
		do   func(dir string) error
		want string
	}{
		"torn": {func(dir string) error {
			return os.WriteFile(dir+"/file", []byte("ne"), 0o644)
		}, "neither the old nor the new"},
		"in place": {func(dir string) error {
			return os.WriteFile(dir+"/file", []byte("new"), 0o644)
		}, "file was written in place"},
		"another mode": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.x.posix-tmp", []byte("new"), 0o600), os.Rename(dir+"/.x.posix-tmp", dir+"/file"))
		}, "neither the old nor the new: mode 0600"},
		"secret in a temporary file": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.file.posix-tmp", []byte("part of SECRET"), 0o600), os.Chmod(dir+"/.file.posix-tmp", 0o604))
		}, ".file.posix-tmp has secret content and mode 0604"},
		"a name of its own": {func(dir string) error {
			return os.Symlink("new", dir+"/file2")
		}, "file2 is neither"},
		"nothing": {func(dir string) error {
			return errors.Join(os.WriteFile(dir+"/.x.posix-tmp", []byte("new"), 0o600), os.Chmod(dir+"/.x.posix-tmp", 0o644), os.Rename(dir+"/.x.posix-tmp", dir+"/file"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			w := watch(t, dir, map[string][]version{"file": {secret, public}})
			var events int
			seen := make(chan struct{})
			w.arm(func() bool {
				events++
				if events == 1 {
					close(seen)
				}
				return false
			})
			must(t, tt.do(dir))
			<-seen
			for now, looks := -1, 0; now < looks+2; { // two whole looks after that
				w.mu.Lock()
				if now < 0 {
					looks = w.looks
				}
				now = w.looks
				w.mu.Unlock()
			}
			got := strings.Join(w.stop(), "; ")
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("saw %q, want %q", got, tt.want)
			}
		})
	}
}

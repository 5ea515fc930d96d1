//go:build unix

package perlfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/perlfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftpfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// sftpSession is the session of the other backend.
type sftpSession struct{ *sftp.Client }

func (s sftpSession) SFTP(context.Context) (sftpfs.Session, error) {
	return sftpfs.Session{Client: s.Client, Release: func() {}}, nil
}

// countedBackend is the other backend. It counts the calls of the methods that it overrides.
type countedBackend struct {
	perlfs.Backend
	calls atomic.Int32
}

func (o *countedBackend) WriteFile(ctx context.Context, w *remotefs.Write) (host.FileInfo, error) {
	o.calls.Add(1)
	return o.Backend.WriteFile(ctx, w)
}

func (o *countedBackend) ReplaceSymlink(ctx context.Context, target, temp, path string, was *string) (host.FileInfo, bool, error) {
	o.calls.Add(1)
	return o.Backend.ReplaceSymlink(ctx, target, temp, path, was)
}

func (o *countedBackend) SetAttributes(ctx context.Context, path string, want host.FileType, attrs host.Attributes) (host.FileInfo, error) {
	o.calls.Add(1)
	return o.Backend.SetAttributes(ctx, path, want, attrs)
}

func (o *countedBackend) Open(ctx context.Context, path string) (host.FileInfo, io.ReadCloser, error) {
	o.calls.Add(1)
	return o.Backend.Open(ctx, path)
}

func (o *countedBackend) MakeDirs(ctx context.Context, dirs []string, attrs host.Attributes) ([]string, error) {
	o.calls.Add(1)
	return o.Backend.MakeDirs(ctx, dirs, attrs)
}

// names looks up names on the host that the tests run on.
type names struct{ host.Accounts }

func (n names) UserName(ctx context.Context, uid uint32) (string, error) {
	user, err := n.LookupUser(ctx, strconv.FormatUint(uint64(uid), 10))
	if errors.Is(err, host.ErrUnknownUser) || err == nil && user.Name == "" {
		return strconv.FormatUint(uint64(uid), 10), nil
	}
	return user.Name, err
}

func (n names) GroupName(ctx context.Context, gid uint32) (string, error) {
	group, err := n.LookupGroup(ctx, strconv.FormatUint(uint64(gid), 10))
	if errors.Is(err, host.ErrUnknownGroup) || err == nil && group.Name == "" {
		return strconv.FormatUint(uint64(gid), 10), nil
	}
	return group.Name, err
}

// testHost has the files of perlfs with sftpfs as the other backend; everything else is host/local.
type testHost struct {
	*remotefs.Files
	host.Accounts
	host.Runner
	other *countedBackend
}

func (testHost) Name() string { return host.LocalName }

func newTestHost(tb testing.TB, starter remote.Starter) testHost {
	tb.Helper()
	here, err := local.New()
	if err != nil {
		tb.Fatal(err)
	}
	c, err := sftp.New(tb.Context(), sftptest.Start(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	over := sftpfs.New(sftpSession{c})
	o := &countedBackend{Backend: over}
	keeper := &remotetest.Keeper[*perlfs.Session]{}
	tb.Cleanup(keeper.Close)
	return testHost{remotefs.New(here.Name(), perlfs.New(o, starter, keeper, func() bool { return true }), names{here}, over, remotetest.TrustedDirs()), here, here, o}
}

// newStarter returns a starter of processes on a host with Perl.
func newStarter(tb testing.TB) *remotetest.Starter {
	tb.Helper()
	remotetest.Need(tb, "perl")
	return &remotetest.Starter{}
}

func (h testHost) write(tb testing.TB, path, content string, opts host.WriteOptions) (host.FileInfo, error) {
	tb.Helper()
	return h.WriteFile(tb.Context(), path, struct{ io.Reader }{strings.NewReader(content)}, opts) // cannot be read again
}

// operation is an operation that takes a single request.
type operation struct {
	name  string
	ready func(path string) error // creates what it needs; nil for nothing
	do    func(tb testing.TB, h testHost, path string) (host.FileInfo, error)
	want  func(tb testing.TB, path string)
}

func operations() []operation {
	all := strings.Repeat("\x00\xff\n'", 16<<10)
	old := func(path string) error {
		return errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, 0o604))
	}
	write := func(content string, opts host.WriteOptions) func(testing.TB, testHost, string) (host.FileInfo, error) {
		return func(tb testing.TB, h testHost, path string) (host.FileInfo, error) {
			tb.Helper()
			return h.write(tb, path, content, opts)
		}
	}
	is := func(content string, mode fs.FileMode) func(testing.TB, string) {
		return func(tb testing.TB, path string) {
			tb.Helper()
			got, err := os.ReadFile(path)
			info, err2 := os.Lstat(path)
			if err := errors.Join(err, err2); err != nil || string(got) != content || info.Mode() != mode {
				tb.Errorf("content %.20q, mode %v, error %v, want %.20q, mode %v", got, info.Mode(), err, content, mode)
			}
		}
	}
	full := host.Attributes{Mode: new(host.Mode(0o640)), UID: new(uint32(os.Geteuid())), GID: new(uint32(os.Getegid()))}
	return []operation{
		{"create", nil, write("new", host.WriteOptions{Exclusive: true}), is("new", 0o600)},
		{"create an empty file", nil, write("", host.WriteOptions{NoSync: true}), is("", 0o600)},
		{"create with attributes", nil, write(all, host.WriteOptions{Attributes: full, Exclusive: true}), is(all, 0o640)},
		{"replace", old, write("new", host.WriteOptions{}), is("new", 0o604)},
		{"replace with attributes", old, write("new", host.WriteOptions{Attributes: full}), is("new", 0o640)},
		{"set attributes", old, func(tb testing.TB, h testHost, path string) (host.FileInfo, error) {
			tb.Helper()
			return h.SetAttributes(tb.Context(), path, host.TypeRegular, full)
		}, is("old", 0o640)},
		{"set attributes of a directory", func(path string) error { return os.Mkdir(path, 0o700) }, func(tb testing.TB, h testHost, path string) (host.FileInfo, error) {
			tb.Helper()
			return h.SetAttributes(tb.Context(), path, host.TypeDirectory, host.Attributes{Mode: new(host.Mode(0o1755))})
		}, func(tb testing.TB, path string) {
			tb.Helper()
			if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeDir|fs.ModeSticky|0o755 {
				tb.Errorf("info %v, error %v, want a sticky directory with mode 0755", info, err)
			}
		}},
		{"replace a link", func(path string) error { return os.Symlink("old", path) }, func(tb testing.TB, h testHost, path string) (host.FileInfo, error) {
			tb.Helper()
			return h.ReplaceSymlink(tb.Context(), "new\ntarget", path, new("old"))
		}, func(tb testing.TB, path string) {
			tb.Helper()
			if target, err := os.Readlink(path); err != nil || target != "new\ntarget" {
				tb.Errorf("target %q, error %v, want %q", target, err, "new\ntarget")
			}
		}},
		{"read", func(path string) error { return os.WriteFile(path, []byte(all), 0o600) }, func(tb testing.TB, h testHost, path string) (host.FileInfo, error) {
			tb.Helper()
			info, r, err := h.Open(tb.Context(), path)
			if err != nil {
				return info, err
			}
			got, err := io.ReadAll(r)
			if err == nil && string(got) != all {
				err = fmt.Errorf("content %.20q, want %.20q", got, all)
			}
			return info, errors.Join(err, r.Close())
		}, is(all, 0o600)},
	}
}

// TestMakeParents checks that the other backend creates all missing parents in one step.
func TestMakeParents(t *testing.T) {
	t.Parallel()
	h, dir := newTestHost(t, newStarter(t)), t.TempDir()
	made, err := h.MakeParents(t.Context(), dir+"/a/b/c/file", host.Attributes{})
	if want := []string{dir + "/a", dir + "/a/b", dir + "/a/b/c"}; err != nil || !slices.Equal(made, want) {
		t.Errorf("MakeParents made %q, want %q; error %v", made, want, err)
	}
	if got := h.other.calls.Load(); got != 1 {
		t.Errorf("%d calls of the other backend, want 1", got)
	}
}

// TestEditFile checks that a file is edited unless it has changed or is too large.
func TestEditFile(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, newStarter(t))
	for name, tt := range map[string]struct {
		prepare func(path string) error
		old     string
		edited  bool
		want    error
	}{
		"unchanged":    {func(string) error { return nil }, "old", true, nil},
		"content":      {func(path string) error { return os.WriteFile(path, []byte("OLD"), 0o600) }, "old", false, nil},
		"mode":         {func(path string) error { return os.Chmod(path, 0o644) }, "old", false, nil},
		"longer":       {func(path string) error { return os.WriteFile(path, []byte("older"), 0o600) }, "old", false, nil},
		"too long":     {func(path string) error { return os.WriteFile(path, make([]byte, 64<<10+1), 0o600) }, "old", false, errors.ErrUnsupported},
		"gone":         {os.Remove, "old", false, fs.ErrNotExist},
		"link":         {func(path string) error { return errors.Join(os.Rename(path, path+"2"), os.Symlink("file2", path)) }, "old", false, errors.ErrUnsupported},
		"large":        {func(string) error { return nil }, strings.Repeat("x", 64<<10), false, errors.ErrUnsupported},
		"no directory": {func(path string) error { return os.RemoveAll(filepath.Dir(path)) }, "old", false, errors.ErrUnsupported},
	} {
		path := t.TempDir() + "/dir/file"
		if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
		was, err := h.Lstat(t.Context(), path)
		if err := errors.Join(err, tt.prepare(path)); err != nil {
			t.Fatal(err)
		}
		edit := host.Edit{Old: []byte(tt.old), New: []byte("new\x00"), Was: &was}
		info, now, err := h.EditFile(t.Context(), path, edit, host.Attributes{Mode: new(host.Mode(0o640))})
		edited := err == nil && now == nil
		if edited != tt.edited || !errors.Is(err, tt.want) || tt.want == nil && err != nil {
			t.Errorf("%s: edited %t, error %v, want %t, %v", name, edited, err, tt.edited, tt.want)
		}
		if got, err := os.ReadFile(path); (err == nil && string(got) == "new\x00") != tt.edited {
			t.Errorf("%s: content %q, error %v, want the new content: %t", name, got, err, tt.edited)
		}
		if now, err := h.Lstat(t.Context(), path); edited && (err != nil || now != info || now.Mode != 0o640) {
			t.Errorf("%s: EditFile returned %+v, Lstat %+v, error %v, want the same with mode 0640", name, info, now, err)
		}
		if temps, err := filepath.Glob(filepath.Dir(path) + "/.*"); err != nil || len(temps) != 0 {
			t.Errorf("%s: the temporary files %q are left, error %v, want none", name, temps, err)
		}
	}
}

// TestEditPart checks the edit of a part of a file, which takes one request even if the file is not
// as required.
func TestEditPart(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	h, path := newTestHost(t, s), t.TempDir()+"/file"
	if _, err := h.write(t, path, "", host.WriteOptions{}); err != nil { // starts the process
		t.Fatal(err)
	}
	edits, contents := hosttest.Edits()
	made := 0
	for _, content := range contents {
		for _, edit := range edits {
			if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, 0o604)); err != nil {
				t.Fatal(err)
			}
			writes := s.Writes()
			info, now, err := h.EditFile(t.Context(), path, edit, host.Attributes{})
			want, ok := hosttest.Edited(edit, info, []byte(content))
			if ok {
				made++
			} else {
				want = []byte(content)
			}
			if err != nil || ok != (now == nil) || !ok && string(now) != content || info.Mode != 0o604 || s.Writes() != writes+1 {
				t.Errorf("%q, edit of %q: EditFile returned %+v, content %q, error %v, made %d requests; want an edit: %t", content, edit.Old, info, now, err, s.Writes()-writes, ok)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
				t.Errorf("%q, edit of %q: the file has %q, want %q, error %v", content, edit.Old, got, want, err)
			}
		}
	}
	if made < 20 {
		t.Errorf("%d edits were made, want at least 20", made)
	}
	wantNames(t, filepath.Dir(path), "file")
}

// TestEditReplaced checks that a file that another user replaces during an edit does not get the new
// content with the attributes of that user's file. The program ls, which the edit runs after it has read
// the file, replaces it.
func TestEditReplaced(t *testing.T) {
	t.Parallel()
	remotetest.Need(t, "perl")
	bin := t.TempDir()
	remotetest.WriteProgram(t, bin+"/ls", "#!/bin/sh\nmv \"$2\" \"$2\"2 && echo theirs >\"$2\" && chmod 644 \"$2\"\necho -rw-------\n")
	h := newTestHost(t, &remotetest.Starter{Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")}})
	for name, edit := range map[string]host.Edit{
		"part": {New: []byte("new\n"), Mark: "mark"},
		"all":  {Old: []byte("secret\n"), New: []byte("secret\nnew\n")},
	} {
		path := t.TempDir() + "/file"
		info, err := h.write(t, path, "secret\n", host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o600))}})
		if err != nil {
			t.Fatal(err)
		}
		if edit.Mark == "" {
			edit.Was = &info
		}
		_, now, err := h.EditFile(t.Context(), path, edit, host.Attributes{})
		if err != nil || now != nil {
			t.Errorf("%s: EditFile returned content %q, error %v, want an edit", name, now, err)
		}
		got, err := os.ReadFile(path)
		is, statErr := os.Lstat(path)
		if err := errors.Join(err, statErr); err != nil || string(got) != "secret\nnew\n" || is.Mode() != 0o600 {
			t.Errorf("%s: content %q, info %v, error %v, want secret and new, mode 0600", name, got, is, err)
		}
		wantNames(t, filepath.Dir(path), "file", "file2")
	}
}

// TestEditLocked checks that a file is not edited while another process holds the flock(2)
// lock of its directory.
func TestEditLocked(t *testing.T) {
	t.Parallel()
	h, dir := newTestHost(t, newStarter(t)), t.TempDir()
	if err := os.WriteFile(dir+"/file", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	was, err := h.Lstat(t.Context(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	edit := func() (bool, error) {
		_, now, err := h.EditFile(t.Context(), was.Path, host.Edit{Old: []byte("old"), New: []byte("new"), Was: &was}, host.Attributes{})
		return err == nil && now == nil, err
	}
	if edited, err := edit(); edited || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("locked: edited %t, error %v, want false, %v", edited, err, errors.ErrUnsupported)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_UN); err != nil {
		t.Fatal(err)
	}
	if edited, err := edit(); !edited || err != nil {
		t.Errorf("unlocked: edited %t, error %v, want true, nil", edited, err)
	}
}

// wantNames checks the names in a directory.
func wantNames(tb testing.TB, dir string, want ...string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if err != nil || fmt.Sprint(names) != fmt.Sprint(want) {
		tb.Errorf("the directory has %q, want %q, error %v", names, want, err)
	}
}

// TestOneRequest checks that each operation takes one request and no call of the other
// backend, and returns the same info as Lstat.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	h := newTestHost(t, s)
	for _, op := range operations() {
		dir := t.TempDir()
		path := dir + "/a 'file'\n"
		if op.ready != nil {
			if err := op.ready(path); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
			t.Fatal(err)
		}
		calls, writes := h.other.calls.Load(), s.Writes()
		info, err := op.do(t, h, path)
		if err != nil {
			t.Errorf("%s: %v", op.name, err)
			continue
		}
		if calls, writes := h.other.calls.Load()-calls, s.Writes()-writes; calls != 0 || writes != 1 {
			t.Errorf("%s: %d calls of the other backend and %d requests, want 0 and 1", op.name, calls, writes)
		}
		op.want(t, path)
		if now, err := h.Lstat(t.Context(), path); err != nil || now != info {
			t.Errorf("%s: the operation returned %+v, Lstat %+v, error %v, want the same", op.name, info, now, err)
		}
		wantNames(t, dir, filepath.Base(path), "first")
	}
	if s.Starts() != 1 {
		t.Errorf("%d processes were started, want 1", s.Starts())
	}
}

// TestRefused checks that an object of a different type at the path is not replaced.
func TestRefused(t *testing.T) {
	t.Parallel()
	h := newTestHost(t, newStarter(t))
	for name, ready := range map[string]func(path string) error{
		"directory":     func(path string) error { return os.Mkdir(path, 0o700) },
		"link":          func(path string) error { return os.Symlink("file", path) },
		"dangling link": func(path string) error { return os.Symlink("none", path) },
	} {
		dir := t.TempDir()
		path := dir + "/it"
		if err := errors.Join(os.WriteFile(dir+"/file", []byte("old"), 0o600), ready(path)); err != nil {
			t.Fatal(err)
		}
		before, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = h.write(t, path, "new", host.WriteOptions{})
		if _, wrong := errors.AsType[*host.TypeError](err); !wrong {
			t.Errorf("%s: write: error %v, want a TypeError", name, err)
		}
		if _, err := h.write(t, path, "new", host.WriteOptions{Exclusive: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: exclusive write: error %v, want %v", name, err, fs.ErrExist)
		}
		_, err = h.SetAttributes(t.Context(), path, host.TypeRegular, host.Attributes{Mode: new(host.Mode(0o600))})
		if _, wrong := errors.AsType[*host.TypeError](err); !wrong {
			t.Errorf("%s: set attributes: error %v, want a TypeError", name, err)
		}
		if now, err := os.Lstat(path); err != nil || !os.SameFile(before, now) || now.Mode() != before.Mode() {
			t.Errorf("%s: the object was replaced or changed, error %v", name, err)
		}
		if got, err := os.ReadFile(dir + "/file"); err != nil || string(got) != "old" {
			t.Errorf("%s: content %q, error %v, want old", name, got, err)
		}
		wantNames(t, dir, "file", "it")
	}
	if _, err := h.ReplaceSymlink(t.Context(), "x", t.TempDir(), nil); err == nil {
		t.Error("ReplaceSymlink of a directory returned no error")
	}
}

// TestLimitedSize checks that a write that exceeds the file size limit of Perl is passed to the other backend, and
// leaves no temporary file.
func TestLimitedSize(t *testing.T) {
	t.Parallel()
	s := newStarter(t)
	s.Noise = "ulimit -f 16" // blocks of 512 or 1024 bytes
	h, dir := newTestHost(t, s), t.TempDir()
	if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
		t.Fatal(err)
	}
	content := strings.Repeat("x", 20<<10)
	for name, opts := range map[string]host.WriteOptions{"exclusive": {Exclusive: true}, "plain": {}} {
		calls, writes := h.other.calls.Load(), s.Writes()
		if _, err := h.write(t, dir+"/"+name, content, opts); err != nil {
			t.Errorf("%s write: %v", name, err)
		}
		if calls, writes := h.other.calls.Load()-calls, s.Writes()-writes; calls != 1 || writes == 0 {
			t.Errorf("%s write: %d calls of the other backend and %d requests to Perl, want 1 and at least 1", name, calls, writes)
		}
		if got, err := os.ReadFile(dir + "/" + name); string(got) != content {
			t.Errorf("%s write: the file has %d bytes (error %v), want %d", name, len(got), err, len(content))
		}
	}
	wantNames(t, dir, "exclusive", "first", "plain")
}

// TestNoPerl checks that the process is started only once on a host without a usable Perl.
func TestNoPerl(t *testing.T) {
	t.Parallel()
	for name, program := range map[string]string{"missing": "", "broken": "#!/bin/sh\nexit 2\n"} {
		dir := t.TempDir()
		for _, tool := range []string{"sh", "setsid"} {
			if err := os.Symlink(remotetest.Need(t, tool), filepath.Join(dir, tool)); err != nil {
				t.Fatal(err)
			}
		}
		if program != "" {
			remotetest.WriteProgram(t, dir+"/perl", program)
		}
		s := &remotetest.Starter{Shell: []string{dir + "/sh"}, Env: []string{"PATH=" + dir}}
		h := newTestHost(t, s)
		for _, op := range operations() {
			path := t.TempDir() + "/file"
			if op.ready != nil {
				if err := op.ready(path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := op.do(t, h, path); err != nil && op.name != "create with attributes" {
				t.Errorf("%s: %s: %v", name, op.name, err)
			}
		}
		if s.Starts() != 1 {
			t.Errorf("%s: %d processes were started, want 1", name, s.Starts())
		}
	}
}

// requestOutcome is what happens to a request.
type requestOutcome int

const (
	pass      requestOutcome = iota
	cut                      // half of it arrives
	loseReply                // the request is executed, but the reply does not arrive
)

// breaking starts processes. Their next request has the outcome in the field outcome.
type breaking struct {
	remote.Starter
	outcome atomic.Int32
}

func (b *breaking) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := b.Starter.Start(ctx, line)
	return &breakingProcess{Process: p, of: b}, err
}

type breakingProcess struct {
	remote.Process
	of   *breaking
	lose atomic.Bool
}

func (p *breakingProcess) Stdin() io.WriteCloser { return breakingInput{p.Process.Stdin(), p} }
func (p *breakingProcess) Stdout() io.Reader     { return breakingOutput{p.Process.Stdout(), p} }

type breakingInput struct {
	io.WriteCloser
	p *breakingProcess
}

func (i breakingInput) Write(data []byte) (int, error) {
	switch requestOutcome(i.p.of.outcome.Swap(int32(pass))) {
	case cut:
		n, _ := i.WriteCloser.Write(data[:len(data)/2])
		return n, errors.Join(io.ErrClosedPipe, i.WriteCloser.Close())
	case loseReply:
		i.p.lose.Store(true)
	case pass:
	}
	return i.WriteCloser.Write(data)
}

type breakingOutput struct {
	io.Reader
	p *breakingProcess
}

func (o breakingOutput) Read(data []byte) (int, error) {
	n, err := o.Reader.Read(data)
	if o.p.lose.Load() {
		return 0, io.EOF
	}
	return n, err
}

// TestBrokenConnections checks that the other backend completes an operation if the
// connection breaks before or after the request is executed, and that no temporary file is
// left.
func TestBrokenConnections(t *testing.T) {
	t.Parallel()
	for _, outcome := range []requestOutcome{cut, loseReply} {
		b := &breaking{Starter: newStarter(t)}
		h := newTestHost(t, b)
		for _, op := range operations() {
			dir := t.TempDir()
			path := dir + "/file"
			if op.ready != nil {
				if err := op.ready(path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
				t.Fatal(err)
			}
			calls := h.other.calls.Load()
			b.outcome.Store(int32(outcome))
			if _, err := op.do(t, h, path); err != nil {
				t.Errorf("%s %d: error %v, want none", op.name, outcome, err)
			}
			if h.other.calls.Load() == calls {
				t.Errorf("%s %d: the other backend was not called", op.name, outcome)
			}
			op.want(t, path)
			wantNames(t, dir, "file", "first")
		}
	}
}

// TestLostExclusiveWrite checks that, if the reply to an exclusive write is lost, another
// file does not count as the written one.
func TestLostExclusiveWrite(t *testing.T) {
	t.Parallel()
	b := &breaking{Starter: newStarter(t)}
	h, dir := newTestHost(t, b), t.TempDir()
	if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/file", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.outcome.Store(int32(loseReply))
	if _, err := h.write(t, dir+"/file", "new", host.WriteOptions{Exclusive: true}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("error %v, want %v", err, fs.ErrExist)
	}
	if got, err := os.ReadFile(dir + "/file"); err != nil || string(got) != "old" {
		t.Errorf("content %q, error %v, want old", got, err)
	}
	wantNames(t, dir, "file", "first")
}

// TestLostUpdate checks the retry of a write whose reply is lost: the file of the first attempt
// does not count as a change by another program, and an earlier change by another program is an
// error.
func TestLostUpdate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		size int64 // in the plan; the file has 3 bytes
		want error
	}{"unchanged": {3, nil}, "changed": {4, host.ErrChanged}} {
		b := &breaking{Starter: newStarter(t)}
		h, dir := newTestHost(t, b), t.TempDir()
		if _, err := h.write(t, dir+"/first", "", host.WriteOptions{}); err != nil { // starts the process
			t.Fatal(err)
		}
		planned := time.Now().Add(-time.Hour)
		if err := errors.Join(os.WriteFile(dir+"/file", []byte("old"), 0o640), os.Chtimes(dir+"/file", planned, planned)); err != nil {
			t.Fatal(err)
		}
		b.outcome.Store(int32(loseReply))
		options := host.WriteOptions{Unchanged: &host.FileStamp{Size: tt.size, ModTime: planned.Unix()}}
		if info, err := h.write(t, dir+"/file", "new", options); !errors.Is(err, tt.want) || err == nil && info.Mode != 0o640 {
			t.Errorf("%s: %+v, error %v, want %v", name, info, err, tt.want)
		}
		want := "new"
		if tt.want != nil {
			want = "old"
		}
		if got, err := os.ReadFile(dir + "/file"); string(got) != want || err != nil {
			t.Errorf("%s: content %q, error %v, want %q", name, got, err, want)
		}
		wantNames(t, dir, "file", "first")
	}
}

// TestConformance runs the tests of the contract on files that are accessed through a Perl process. Package
// sshhost runs them over SSH.
func TestConformance(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	h := newTestHost(t, newStarter(t))
	hosttest.Run(t, func(t *testing.T) (host.Host, string) { t.Helper(); return h, t.TempDir() })
}

func BenchmarkWriteFile(b *testing.B) {
	h, dir := newTestHost(b, newStarter(b)), b.TempDir()
	for b.Loop() {
		if _, err := h.write(b, dir+"/file", strings.Repeat("x", 1024), host.WriteOptions{NoSync: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestInvalidReplies checks that, after an invalid reply from the process, the operation
// fails or the other backend does it.
func TestInvalidReplies(t *testing.T) {
	t.Parallel()
	const (
		greeting  = `\000\000\000\004\000\000\000\000`
		noRequest = "printf '" + greeting + "'\n"
		request   = noRequest + "dd bs=1 count=1 of=/dev/null 2>/dev/null\n"
	)
	for name, tt := range map[string]struct {
		script string
		fails  bool
	}{
		"no greeting":      {"printf x", false},
		"no request":       {noRequest + "exit", false},
		"too long":         {request + `printf '\377\377\377\377'`, false},
		"incomplete":       {request + `printf '\000\000\000\005\000\000\000\002x'`, false},
		"truncated length": {request + `printf '\000\000\000\002\000\000'`, false},
		"empty":            {request + `printf '\000\000\000\000'`, false},
		"without an info":  {request + "printf '" + greeting + "'", true},
	} {
		dir := t.TempDir()
		remotetest.WriteProgram(t, dir+"/perl", "#!/bin/sh\n"+tt.script+"\n")
		h := newTestHost(t, &remotetest.Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}})
		path := t.TempDir() + "/file"
		if _, err := h.write(t, path, "old", host.WriteOptions{}); err != nil { // starts the process
			t.Errorf("%s: first write: error %v, want none", name, err)
		}
		if _, err := h.write(t, path, "new", host.WriteOptions{}); (err != nil) != tt.fails {
			t.Errorf("%s: second write: error %v, want an error: %t", name, err, tt.fails)
		}
		if got, err := os.ReadFile(path); !tt.fails && (err != nil || string(got) != "new") {
			t.Errorf("%s: content %q, error %v, want new", name, got, err)
		}
	}
}

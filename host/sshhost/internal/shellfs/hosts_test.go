//go:build unix

package shellfs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/hosttest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotefs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellfs"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// tool puts a script before the other tools in PATH of a host. REAL in the script is replaced by the path of
// the tool with the same name.
func tool(t *testing.T, s *remotetest.Starter, name, script string) {
	t.Helper()
	dir := t.TempDir()
	text := "#!/bin/sh\n" + strings.ReplaceAll(script, "REAL", remotetest.Need(t, name)) + "\n"
	remotetest.WriteProgram(t, filepath.Join(dir, name), text)
	path := os.Getenv("PATH")
	for _, v := range s.Env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			path = value
		}
	}
	s.Env = append(s.Env, "PATH="+dir+":"+path)
}

func write(t *testing.T, h host.Host, path, content string, opts host.WriteOptions) {
	t.Helper()
	if _, err := h.WriteFile(t.Context(), path, strings.NewReader(content), opts); err != nil {
		t.Error(err)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s contains %.40q, error %v, want %.40q", path, got, err, want)
	}
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if fmt.Sprintf("%q", names) != fmt.Sprintf("%q", want) {
		t.Errorf("%s contains %q, want %q", dir, names, want)
	}
}

// odd is content that a shell or printf could misinterpret.
const odd = "-%s%n\\0\\x41\x00'\"$(id)`id`\r\n\n\xff\x81\x88é%%\\\n\n"

func TestEachKindOfHost(t *testing.T) {
	t.Parallel()
	remotetest.OnEach(t, append(remotetest.Variants(), remotetest.RareVariants()...), func(t *testing.T, s *remotetest.Starter) {
		h, dir := newShellHost(t, s), t.TempDir()
		path := filepath.Join(dir, "a 'b'\n$c")
		for _, content := range []string{odd, "", "-", strings.Repeat(odd, 1000), "%", "\\", "\x00", "\n\n"} {
			write(t, h, path, content, host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o640))}})
			wantContent(t, path, content)
			info, r, err := h.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil || string(got) != content || info.Mode != 0o640 {
				t.Errorf("Open returned %.40q and %+v, error %v, want %.40q and mode 0640", got, info, err, content)
			}
		}
		if _, err := h.Mkdir(t.Context(), dir+"/dir", host.Attributes{Mode: new(host.Mode(0o2750))}); err != nil {
			t.Error(err)
		}
		var was *string
		for _, target := range []string{"dir", "-new\n", "*\\"} {
			if info, err := h.ReplaceSymlink(t.Context(), target, dir+"/link", was); err != nil || info.LinkTarget != target {
				t.Errorf("ReplaceSymlink returned %+v, error %v, want the target %q", info, err, target)
			}
			was = &target
			_, err := h.ReplaceSymlink(t.Context(), "other", dir+"/link", new(target+"\n"))
			if other, is := errors.AsType[*host.TargetError](err); !is || other.Got != target {
				t.Errorf("ReplaceSymlink of another target returned error %v, want a TargetError with %q", err, target)
			}
		}
		if err := h.Rename(t.Context(), path, dir+"/dir/moved"); err != nil {
			t.Error(err)
		}
		write(t, h, dir+"/new", "x", host.WriteOptions{Exclusive: true})
		if _, err := h.WriteFile(t.Context(), dir+"/new", strings.NewReader("y"), host.WriteOptions{Exclusive: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("error %v", err)
		}
		entries, err := h.ReadDir(t.Context(), dir)
		if err != nil || fmt.Sprint(entries) != "[{dir directory} {link symbolic link} {new regular file}]" {
			t.Errorf("%v, error %v", entries, err)
		}
		if err := h.Rmdir(t.Context(), dir+"/dir"); !errors.Is(err, host.ErrNotEmpty) {
			t.Errorf("error %v", err)
		}
		wantNames(t, dir+"/dir", "moved")
	})
}

// TestOptionsOfTools tests hosts whose mv and ln lack -T, the option that prevents them from creating
// the new name inside a directory at the path, and have another such option or none.
func TestOptionsOfTools(t *testing.T) {
	t.Parallel()
	const without = `case " $* " in *" -T "*) echo "mv: illegal option -- T" >&2; exit 64 ;; esac
`
	for _, tt := range []struct {
		name, mv      string
		replacesLinks bool
	}{
		{"BSD options", without + `if [ "$2" = -h ]; then shift 2; for last do :; done
  if [ -d "$last" ] && [ ! -L "$last" ]; then exec REAL "$@"; fi
  exec REAL -fT "$@"
fi
if [ "$1" = -h ]; then shift; exec REAL -fT "$@"; fi
exec REAL "$@"`, true},
		{"no options", without + `case " $* " in *" -h "*) echo "mv: illegal option -- h" >&2; exit 64 ;; esac
exec REAL "$@"`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &remotetest.Starter{}
			tool(t, s, "mv", tt.mv)
			tool(t, s, "ln", without+`exec REAL "$@"`)
			h, dir := newShellHost(t, s), t.TempDir()
			write(t, h, dir+"/file", "1", host.WriteOptions{})
			write(t, h, dir+"/file", "2", host.WriteOptions{})
			wantContent(t, dir+"/file", "2")
			write(t, h, dir+"/new", "1", host.WriteOptions{Exclusive: true})
			for _, name := range []string{"from", "from/in", "empty", "full", "full/in"} {
				if err := os.Mkdir(dir+"/"+name, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := h.Rename(t.Context(), dir+"/from", dir+"/full"); !errors.Is(err, host.ErrNotEmpty) {
				t.Errorf("error %v", err)
			}
			if err := h.Rename(t.Context(), dir+"/from", dir+"/empty"); err != nil {
				t.Error(err)
			}
			wantNames(t, dir+"/empty", "in")
			for _, target := range []string{"nowhere", "empty", "full"} {
				_, err := h.ReplaceSymlink(t.Context(), target, dir+"/link", nil)
				if now, _ := os.Readlink(dir + "/link"); (err == nil) != (now == target) || err != nil && (tt.replacesLinks || target != "full") {
					t.Errorf("%s: ReplaceSymlink returned error %v and the link points to %s, want nil if and only if the link was replaced; an error is allowed: %t",
						target, err, now, !tt.replacesLinks && target == "full")
				}
			}
			for _, make := range []func(path string) error{
				func(p string) error { _, err := h.Symlink(t.Context(), "x", p); return err },
				func(p string) error { return h.Link(t.Context(), dir+"/file", p) },
				func(p string) error {
					_, err := h.WriteFile(t.Context(), p, strings.NewReader("x"), host.WriteOptions{Exclusive: true})
					return err
				},
			} {
				for _, p := range []string{dir + "/empty", dir + "/link"} {
					if err := make(p); !errors.Is(err, fs.ErrExist) {
						t.Errorf("error %v", err)
					}
				}
			}
			wantNames(t, dir+"/empty", "in")
			wantNames(t, dir+"/full", "in")
			wantNames(t, dir, "empty", "file", "full", "link", "new")
		})
	}
}

// TestContentIsPrivate checks that, while a file is written, its content is not on a
// command line or in an environment, and its temporary file has mode 0600.
func TestContentIsPrivate(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("this host does not show command lines in /proc")
	}
	for _, v := range append(remotetest.Variants()[1:3], remotetest.RareVariants()[0]) { // the shell of the last one has no built-in printf
		for _, size := range []int{1, 1000} {
			t.Run(fmt.Sprint(v.Name, " ", size), func(t *testing.T) {
				t.Parallel()
				s, dir := v.New(t), t.TempDir()
				seen := filepath.Join(t.TempDir(), "seen")
				tool(t, s, "chmod", `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ >>'`+seen+`' 2>/dev/null
stat -c 'mode %a of %n' '`+dir+`'/.* >>'`+seen+`'
REAL "$@"`)
				tool(t, s, "printf", `echo "$@" >>'`+seen+`'; exec REAL "$@"`)
				h := newShellHost(t, s)
				write(t, h, dir+"/file", strings.Repeat("planted content ", size), host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o666))}})
				content, err := os.ReadFile(seen)
				if err != nil || !bytes.Contains(content, []byte("mode 600 of ")) || bytes.Contains(content, []byte("planted")) {
					t.Errorf("error %v, content seen %t, mode 0600 seen %t, want nil, false and true", err,
						bytes.Contains(content, []byte("planted")), bytes.Contains(content, []byte("mode 600 of ")))
				}
			})
		}
	}
}

// TestNoSpace checks that a write that exceeds the file size limit leaves the old file unchanged.
func TestNoSpace(t *testing.T) {
	t.Parallel()
	for _, size := range []int{5000, 500_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, newShellHost(t, &remotetest.Starter{}), dir+"/file", "old", host.WriteOptions{})
			h := newShellHost(t, &remotetest.Starter{Noise: "trap '' XFSZ; ulimit -f 4"}) // in units of 512 bytes
			_, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader(strings.Repeat("x", size)), host.WriteOptions{})
			if err == nil {
				t.Error("no error")
			}
			wantContent(t, dir+"/file", "old")
			wantNames(t, dir, "file")
		})
	}
}

// TestAttributesNotSet checks that operations fail if attributes could not be set, and that a new file
// is then not renamed and a new directory does not remain.
func TestAttributesNotSet(t *testing.T) {
	t.Parallel()
	for _, size := range []int{10, 100_000} {
		s, dir := &remotetest.Starter{}, t.TempDir()
		tool(t, s, "chmod", "exit 0")
		h := newShellHost(t, s)
		write(t, h, dir+"/file", "old", host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o600))}})
		opts := host.WriteOptions{Attributes: host.Attributes{Mode: new(host.Mode(0o644))}}
		if _, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader(strings.Repeat("x", size)), opts); err == nil {
			t.Error("no error")
		}
		if _, err := h.Mkdir(t.Context(), dir+"/dir", host.Attributes{Mode: new(host.Mode(0o1777))}); err == nil {
			t.Error("no error")
		}
		if _, err := h.SetAttributes(t.Context(), dir+"/file", host.TypeUnknown, opts.Attributes); err == nil {
			t.Error("no error")
		}
		wantContent(t, dir+"/file", "old")
		wantNames(t, dir, "file")
	}
}

// cutter is a starter that ends the input of its processes after a number of bytes.
type cutter struct {
	*remotetest.Starter
	after int

	mu   sync.Mutex
	cuts int
}

type cut struct {
	remote.Process
	cutter *cutter
	left   int
}

func (c *cutter) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := c.Starter.Start(ctx, line)
	if err != nil {
		return nil, err
	}
	return &cut{Process: p, cutter: c, left: c.after}, nil
}

func (c *cut) Stdin() io.WriteCloser { return c }

func (c *cut) Write(p []byte) (int, error) {
	n, err := c.Process.Stdin().Write(p[:min(len(p), c.left)])
	if c.left -= n; c.left == 0 && err == nil {
		c.cutter.mu.Lock()
		c.cutter.cuts++
		c.cutter.mu.Unlock()
		_ = c.Process.Stdin().Close()
		return len(p), nil
	}
	return n, err
}

func (c *cut) Close() error { return c.Process.Close() }

// TestTruncatedInput checks that truncated content never becomes a file.
func TestTruncatedInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := &remotetest.Starter{}
	h := newShellHost(t, s)
	write(t, h, dir+"/file", "old", host.WriteOptions{})
	for _, size := range []int{7000, 300_000} {
		c := &cutter{Starter: &remotetest.Starter{}, after: 60_000} // the helper keeps running for a while
		h := newShellHostOver(t, c)
		for i := 0; ; i++ {
			_, err := h.WriteFile(t.Context(), dir+"/file", strings.NewReader(strings.Repeat("x", size)), host.WriteOptions{})
			if c.cuts > 0 {
				if err == nil && size > 60_000 {
					t.Errorf("%d bytes: WriteFile returned no error for truncated content", size)
				}
				break
			}
			if err != nil || i > 100 {
				t.Fatalf("%d bytes: no write was cut; the last one returned error %v", size, err)
			}
		}
		if content, err := os.ReadFile(dir + "/file"); err != nil || len(content) != len("old") && len(content) != 7000 {
			t.Errorf("%d bytes: the file has %d bytes, error %v, want 3 or 7000", size, len(content), err)
		}
	}
	if err := h.RemoveTemp(t.Context(), dir+"/file"); err != nil {
		t.Error(err)
	}
}

func TestManyWritesAreFewRoundTrips(t *testing.T) {
	t.Parallel()
	const files = 200
	s := &remotetest.Starter{}
	h, dir := newShellHost(t, s), t.TempDir()
	var all sync.WaitGroup
	for i := range files {
		all.Go(func() {
			write(t, h, fmt.Sprint(dir, "/", i), strings.Repeat("x", 1000), host.WriteOptions{NoSync: true})
		})
	}
	all.Wait()
	if s.Starts() != 1 || s.Writes() > 20 {
		t.Errorf("%d processes and %d round trips for %d files, want 1 and at most 20", s.Starts(), s.Writes(), files)
	}
}

// TestNewFileIsOneRoundTrip checks that one request creates a small file, and that an exclusive write fails if the
// file exists.
func TestNewFileIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := &remotetest.Starter{}
	h, dir := newShellHost(t, s), t.TempDir()
	write(t, h, dir+"/first", "x", host.WriteOptions{Exclusive: true}) // starts the process, and looks up names
	before := s.Writes()
	write(t, h, dir+"/second", "y", host.WriteOptions{Exclusive: true})
	if trips := s.Writes() - before; trips != 1 {
		t.Errorf("%d round trips, want 1", trips)
	}
	for _, content := range []string{"small", strings.Repeat("large", 10_000)} {
		if _, err := h.WriteFile(t.Context(), dir+"/first", strings.NewReader(content), host.WriteOptions{Exclusive: true}); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%.5s: error %v", content, err)
		}
	}
	wantContent(t, dir+"/first", "x")
	wantNames(t, dir, "first", "second")
}

//nolint:paralleltest // allocations of other tests would count
func TestStream(t *testing.T) {
	hosttest.Stream(t, func(t *testing.T) (host.Host, string) { return newShellHost(t, &remotetest.Starter{}), t.TempDir() }, 64<<20, 8<<20)
}

// shellHost is a host that is used only through its shell.
type shellHost struct {
	*remotefs.Files
	*shellrpc.Accounts
	*command.Runner
}

func (shellHost) Name() string { return "web1" }

var _ host.Host = shellHost{}

func newShellHost(t *testing.T, s *remotetest.Starter) shellHost {
	t.Helper()
	return newShellHostOver(t, s)
}

func newShellHostOver(t *testing.T, s remote.Starter) shellHost {
	t.Helper()
	keeper := &remotetest.Keeper[*shellrpc.Session]{}
	t.Cleanup(keeper.Close)
	helper := shellrpc.NewHelper(s, keeper)
	batches := shellrpc.NewCoalescer(helper)
	accounts := shellrpc.NewAccounts("web1", batches)
	trusted := remotetest.TrustedDirs()
	if as, ok := s.(*remotetest.Starter); ok && as.UID != 0 {
		trusted = nil
	}
	return shellHost{
		Files:    remotefs.New("web1", shellfs.New(s, helper, batches, func() bool { return false }), accounts, batches, trusted),
		Accounts: accounts,
		Runner:   &command.Runner{Host: "web1", Starter: s},
	}
}

// TestConformance runs the tests of the contract on a host with only the tools of busybox;
// in the tier of make ci it runs a third of them. Package sshhost runs all of them with the
// system's tools.
func TestConformance(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	h := newShellHost(t, remotetest.Busybox(t))
	hosttest.RunPart(t, func(t *testing.T) (host.Host, string) { return h, t.TempDir() }, tier.Pick(0, 2, 0), tier.Pick(1, 3, 1))
}

// replacer is a host in whose output one word is replaced by another of the same length.
type replacer struct {
	remote.Starter
	word, instead string
}

func (l replacer) Start(ctx context.Context, line string) (remote.Process, error) {
	p, err := l.Starter.Start(ctx, line)
	return replacingProcess{p, l}, err
}

type replacingProcess struct {
	remote.Process
	replacer replacer
}

func (p replacingProcess) Stdout() io.Reader { return replacingReader{p.Process.Stdout(), p.replacer} }

type replacingReader struct {
	io.Reader
	replacer replacer
}

func (r replacingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	copy(p, bytes.ReplaceAll(p[:n], []byte(r.replacer.word), []byte(r.replacer.instead)))
	return n, err
}

// TestHostileNames checks that a listed name that is not the name of an entry is rejected,
// because its path could be outside the directory.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/plain-name", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../../etc/", "/etc/group"} {
		h := newShellHostOver(t, replacer{&remotetest.Starter{}, "plain-name", name})
		entries, err := h.ReadDir(t.Context(), dir)
		if err == nil || !strings.Contains(err.Error(), "not the name of a file") {
			t.Errorf("%q: %+v, error %v", name, entries, err)
		}
	}
}

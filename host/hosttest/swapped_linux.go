package hosttest

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/posixform/terraform-provider-posix/host"
)

// Swap selects the objects that another user exchanges for symbolic links to objects of root.
type Swap string

const (
	// SwapDirectory selects the directory above the paths of all operations.
	SwapDirectory Swap = "directory above"
	// SwapObject selects the file and the directory that operations are done on.
	SwapObject Swap = "object"
)

// nobody is the UID of the process that exchanges the objects.
const nobody = 65534

// exchanging is a Perl program that exchanges pairs of names in the directory that is open as file descriptor 3, with
// the system call $ARGV[0], until it is killed or its parent ends. It pauses after some exchanges, so that
// the names also stay the same during whole operations.
const exchanging = `my ($call, @names) = @ARGV;
$call += 0;
my $parent = getppid;
while (getppid == $parent) {
	for (0 .. rand 2000) {
		for (my $i = 0; $i < @names; $i += 2) {
			syscall $call, 3, $names[$i], 3, $names[$i + 1], 2; # fails while there is no such object
		}
	}
	select undef, undef, undef, rand() ** 4 * 0.025;
}`

// Swapped tests that operations of root change and read nothing through a symbolic link, while a process of another
// user repeatedly exchanges links for objects in a directory of that user. Each round does all
// operations except those of the methods named in races, which the host does not protect from an exchange. The host
// must be the one on which the test runs as root. Swapped skips the test without root or Perl.
func Swapped(t *testing.T, newHost NewHost, swap Swap, rounds int, races ...string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("the test needs root")
	}
	h, dir := newHost(t)
	wantPathOperations(t, h)
	e := env{T: t, Host: h, dir: dir}
	home, sub := e.path("home"), e.path("home/sub")
	target := newSwapTarget(t)
	e.must(errors.Join(os.Mkdir(home, 0o755), os.Mkdir(sub, 0o755), os.WriteFile(sub+"/file", []byte("own"), 0o644), os.Mkdir(sub+"/dir", 0o755)))
	names := map[Swap][]string{
		SwapDirectory: {"sub", "link"},
		SwapObject:    {"sub/file", "sub/file link", "sub/dir", "sub/dir link"},
	}[swap]
	for i := 0; i < len(names); i += 2 {
		to := target.dir + strings.TrimPrefix(names[i], "sub")
		e.must(os.Symlink(to, home+"/"+names[i+1]))
	}
	e.must(filepath.WalkDir(home, func(path string, _ fs.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(path, nobody, nobody))
	}))
	own, err := os.OpenRoot(sub) // stays the same directory when the name is exchanged
	e.must(err)
	defer func() { _ = own.Close() }() // a directory has no unwritten data
	defer exchange(t, home, names)()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // wait until the exchanges have begun
		if info, err := os.Lstat(home + "/" + names[0]); err == nil && info.Mode().Type() == fs.ModeSymlink {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("no symbolic link appeared at %s within a minute", names[0])
		}
	}

	tested := slices.DeleteFunc(pathOperations(), func(o pathOperation) bool {
		method, _, _ := strings.Cut(o.name, " ")
		return slices.Contains(races, method)
	})
	done, refused, breaches := map[string]int{}, 0, map[string]int{}
	for range rounds {
		for _, o := range tested {
			learned, err := o.do(e.ctx(), h, sub)
			if _, unsafe := errors.AsType[*host.UnsafeLinkError](err); unsafe {
				refused++
			}
			if err == nil {
				done[o.name]++
			}
			problem := target.changed(t)
			if problem != "" {
				target.restore(t)
			}
			if text := fmt.Sprint(learned); target.isIn(text) {
				problem += " it returned " + text
			}
			if problem != "" {
				if breaches[o.name]++; breaches[o.name] == 1 {
					t.Errorf("%s (error %v): %s", o.name, err, problem)
				}
			}
		}
		for _, name := range []string{"new", "link", "second", "third", "made"} {
			e.must(own.RemoveAll(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(breaches)) {
		t.Errorf("%s changed or read an object of root in %d of %d rounds", name, breaches[name], rounds)
	}
	t.Logf("%d refused; succeeded: %v", refused, done)
	for _, o := range tested {
		if rounds >= 1000 && done[o.name] == 0 {
			t.Errorf("%s never succeeded", o.name)
		}
	}
	if len(done) == 0 {
		t.Error("no operation succeeded")
	}
}

// exchange starts the process that exchanges names in a directory, and returns a function that ends it.
func exchange(t *testing.T, dir string, names []string) (end func()) {
	t.Helper()
	perl, err := exec.LookPath("perl")
	if err != nil {
		t.Skip(err)
	}
	opened, err := os.Open(dir) // other users cannot enter the directories above it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }() // the process has its own descriptor
	cmd := exec.CommandContext(t.Context(), perl, append([]string{"-e", exchanging, strconv.Itoa(unix.SYS_RENAMEAT2)}, names...)...)
	cmd.Dir, cmd.Stderr, cmd.ExtraFiles = "/", t.Output(), []*os.File{opened}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = cmd.Process.Kill() // if it has ended, Wait returns the reason
		if err := cmd.Wait(); fmt.Sprint(err) != "signal: killed" {
			t.Errorf("the process that exchanges names ended: %v", err)
		}
	}
}

// swapTarget is a directory of root that links point to.
type swapTarget struct {
	dir  string
	want string
}

// swapSecret is the content of the files in a swapTarget, and the name of one of them. swapTime is the modification
// time of all objects in a swapTarget.
const swapSecret = "secret"

var swapTime = time.Date(2001, 2, 3, 12, 0, 0, 0, time.UTC)

func newSwapTarget(t *testing.T) *swapTarget {
	t.Helper()
	s := &swapTarget{dir: t.TempDir() + "/target"}
	s.restore(t)
	s.want = s.state(t)
	return s
}

// restore resets the directory to its initial state.
func (s *swapTarget) restore(t *testing.T) {
	t.Helper()
	err := errors.Join(os.RemoveAll(s.dir), os.MkdirAll(s.dir+"/dir", 0o755),
		os.WriteFile(s.dir+"/file", []byte(swapSecret), 0o600), os.WriteFile(s.dir+"/dir/"+swapSecret, []byte(swapSecret), 0o600))
	for _, name := range []string{"/dir/" + swapSecret, "/dir", "/file", ""} {
		err = errors.Join(err, os.Chtimes(s.dir+name, swapTime, swapTime))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// state returns a description of the objects in the directory.
func (s *swapTarget) state(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sys := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // the type on Linux
		fmt.Fprintf(&all, "%s %s %d:%d %d links %s", strings.TrimPrefix(path, s.dir), info.Mode(), sys.Uid, sys.Gid, sys.Nlink, info.ModTime())
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			fmt.Fprintf(&all, " %q\n", content)
			return err
		}
		all.WriteString("\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// changed returns a description of the directory if the directory changed, or "".
func (s *swapTarget) changed(t *testing.T) string {
	t.Helper()
	if now := s.state(t); now != s.want {
		return "the directory of root is\n" + now
	}
	return ""
}

// isIn reports whether a text has information about objects in the directory.
func (s *swapTarget) isIn(text string) bool {
	return strings.Contains(text, swapSecret) || strings.Contains(text, swapTime.Format("2006-01-02")) || strings.Contains(text, swapDigest)
}

// swapDigest is the digest of swapSecret, as it is printed.
var swapDigest = fmt.Sprint(sha256.Sum256([]byte(swapSecret)))

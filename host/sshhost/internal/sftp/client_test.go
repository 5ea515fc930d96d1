package sftp_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftp"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// The file types in st_mode.
const (
	modeDir     = 0o040000
	modeRegular = 0o100000
)

func connect(tb testing.TB, conn io.ReadWriteCloser) *sftp.Client {
	tb.Helper()
	c, err := sftp.New(tb.Context(), conn)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// start returns a client of a real server and an empty directory.
func start(tb testing.TB, flags ...string) (*sftp.Client, string) {
	tb.Helper()
	return connect(tb, sftptest.Start(tb, flags...)), tb.TempDir()
}

// do sends a request and returns the value of its reply. An error fails the test.
func do[T any](tb testing.TB, r *sftp.Reply[T]) T {
	tb.Helper()
	value, err := r.Do(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return value
}

func wantError[T any](tb testing.TB, r *sftp.Reply[T], want ...error) {
	tb.Helper()
	_, err := r.Do(tb.Context())
	if err == nil {
		tb.Errorf("no error, want one that matches all of %v", want)
	}
	for _, w := range want {
		if !errors.Is(err, w) {
			tb.Errorf("error %v, want %v", err, w)
		}
	}
}

// wantFailure sends a request and expects SSH_FX_FAILURE, which gives no reason.
func wantFailure[T any](tb testing.TB, r *sftp.Reply[T]) {
	tb.Helper()
	_, err := r.Do(tb.Context())
	var status *sftp.StatusError
	if !errors.As(err, &status) || status.Code != sftp.CodeFailure {
		tb.Errorf("error %v, want SSH_FX_FAILURE", err)
	}
}

func create(tb testing.TB, c *sftp.Client, path string) *sftp.File {
	tb.Helper()
	return do(tb, c.Batch().Open(path, sftp.Write|sftp.Create|sftp.Excl, sftp.WithMode(0o600)))
}

func write(tb testing.TB, c *sftp.Client, path string, content io.Reader) {
	tb.Helper()
	b, f := c.Batch(), create(tb, c, path)
	up, closed := b.WriteFrom(f, content), b.Close(f)
	if err := errors.Join(b.Do(tb.Context()), up.Err, closed.Err); err != nil {
		tb.Fatal(err)
	}
}

func read(tb testing.TB, c *sftp.Client, path string, size uint64) []byte {
	tb.Helper()
	f := do(tb, c.Batch().Open(path, sftp.Read, sftp.Attrs{}))
	r := c.NewReader(tb.Context(), f, 0, size)
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		tb.Fatal(err)
	}
	return content
}

func TestRequests(t *testing.T) {
	t.Parallel()
	c, dir := start(t, "-u", "022")
	file, link, sub := dir+"/a b\n'\xff", dir+"/link", dir+"/dir"

	write(t, c, file, strings.NewReader("content"))
	attrs := do(t, c.Batch().Lstat(file))
	if attrs.Size != 7 || attrs.Mode != modeRegular|0o600 || attrs.UID != uint32(os.Getuid()) || attrs.MTime == 0 {
		t.Errorf("%+v", attrs)
	}
	opened := do(t, c.Batch().Open(file, sftp.Write, sftp.Attrs{}))
	defer opened.Discard()
	do(t, c.Batch().Fsetstat(opened, sftp.WithMode(0o6751)))
	if attrs = do(t, c.Batch().Lstat(file)); attrs.Mode != modeRegular|0o6751 {
		t.Errorf("mode %o, want %o", attrs.Mode, modeRegular|0o6751)
	}
	do(t, c.Batch().Fsetstat(opened, sftp.Attrs{Has: sftp.HasSize, Size: 3}))
	do(t, c.Batch().Fsetstat(opened, sftp.Attrs{Has: sftp.HasTimes, ATime: 1, MTime: 1e9}))
	if attrs = do(t, c.Batch().Stat(file)); attrs.Size != 3 || attrs.ModTime().Unix() != 1e9 {
		t.Errorf("%+v", attrs)
	}
	do(t, c.Batch().Fsetstat(opened, sftp.WithOwner(attrs.UID, attrs.GID)))

	target := "to/\n\xff'"
	do(t, c.Batch().Symlink(target, link))
	if got := do(t, c.Batch().Readlink(link)); got != target {
		t.Errorf("target %q, want %q", got, target)
	}
	if got, err := os.Readlink(link); err != nil || got != target {
		t.Errorf("the link points to %q, error %v, want %q", got, err, target)
	}
	if attrs = do(t, c.Batch().Lstat(link)); attrs.Mode&0o170000 != 0o120000 {
		t.Errorf("%+v", attrs)
	}
	wantError(t, c.Batch().Stat(link), fs.ErrNotExist)
	do(t, c.Batch().Lsetstat(link, sftp.WithOwner(attrs.UID, attrs.GID)))
	do(t, c.Batch().Lsetstat(file, sftp.WithMode(0o640)))

	do(t, c.Batch().Mkdir(sub, sftp.WithMode(0o777)))
	if attrs = do(t, c.Batch().Lstat(sub)); attrs.Mode != modeDir|0o755 {
		t.Errorf("mode %o, want %o", attrs.Mode, modeDir|0o755)
	}
	wantFailure(t, c.Batch().Mkdir(sub, sftp.Attrs{}))

	wantFailure(t, c.Batch().Rename(file, sub))
	do(t, c.Batch().Hardlink(file, sub+"/a"))
	wantFailure(t, c.Batch().Hardlink(file, sub+"/a"))
	wantFailure(t, c.Batch().Rename(file, sub+"/a"))
	do(t, c.Batch().Rename(file, sub+"/b"))
	do(t, c.Batch().PosixRename(link, sub+"/b"))
	wantFailure(t, c.Batch().Rmdir(sub))
	do(t, c.Batch().Remove(sub+"/a"))
	do(t, c.Batch().Remove(sub+"/b"))
	do(t, c.Batch().Rmdir(sub))
	wantError(t, c.Batch().Remove(sub), fs.ErrNotExist)
	if stat := do(t, c.Batch().StatVFS(dir)); stat.Blocks == 0 || stat.BlockSize == 0 || stat.NameMax < 143 {
		t.Errorf("%+v", stat)
	}
}

// TestBatch checks that the requests of a batch are executed in order, and that each has
// its own reply.
func TestBatch(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	b := c.Batch()
	made, again := b.Mkdir(dir+"/d", sftp.WithMode(0o700)), b.Mkdir(dir+"/d", sftp.WithMode(0o700))
	stat, absent := b.Lstat(dir+"/d"), b.Lstat(dir+"/absent")
	removed, gone := b.Rmdir(dir+"/d"), b.Lstat(dir+"/d")
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(made.Err, stat.Err, removed.Err); err != nil {
		t.Error(err)
	}
	if stat.Value.Mode != modeDir|0o700 {
		t.Errorf("%+v", stat.Value)
	}
	var status *sftp.StatusError
	if !errors.As(again.Err, &status) || status.Code != sftp.CodeFailure || status.Path != dir+"/d" || status.Op == "" {
		t.Errorf("error %#v, want a StatusError with SSH_FX_FAILURE for %s", again.Err, dir+"/d")
	}
	if b.First() != again.Err { //nolint:errorlint // the same error
		t.Errorf("the first error is %v, want %v", b.First(), again.Err)
	}
	for _, r := range []*sftp.Reply[sftp.Attrs]{absent, gone} {
		if !errors.Is(r.Err, fs.ErrNotExist) || errors.Is(r.Err, fs.ErrPermission) {
			t.Errorf("error %v", r.Err)
		}
	}
	if err := b.Do(t.Context()); err == nil {
		t.Error("a batch was sent twice")
	}
	wantError(t, b.Mkdir(dir+"/late", sftp.Attrs{}))
	wantError(t, c.Batch().Lstat(dir+"/late"), fs.ErrNotExist)
}

// TestRefusals checks that invalid requests are rejected before they are sent, and that
// other requests are not affected.
func TestRefusals(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	other, _ := start(t)
	f := create(t, other, dir+"/file")
	wantError(t, c.Batch().Lstat("a\x00b"), fs.ErrInvalid)
	wantError(t, c.Batch().Symlink("a\x00b", dir+"/x"), fs.ErrInvalid)
	wantError(t, c.Batch().Lstat(strings.Repeat("x", 300_000)))
	wantError(t, c.Batch().Fstat(f))
	wantError(t, c.Batch().Fstat(nil))
	b := c.Batch()
	up := b.WriteFrom(f, strings.NewReader("x"))
	if err := b.Do(t.Context()); err == nil {
		t.Errorf("a file of another session was written: %+v", up)
	}
	do(t, c.Batch().Lstat(dir))
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory contains %v, error %v, want one file", entries, err)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	for _, size := range []int{0, 1, 1024, 32<<10 - 1, 32 << 10, 255 << 10, 255<<10 + 1, 2<<20 + 1, 9_000_001} {
		content := make([]byte, size)
		rand.NewChaCha8([32]byte{byte(size)}).Read(content)
		path := fmt.Sprintf("%s/%d", dir, size)
		write(t, c, path, struct{ io.Reader }{bytes.NewReader(content)})
		got, err := os.ReadFile(path)
		if err != nil || sha256.Sum256(got) != sha256.Sum256(content) {
			t.Errorf("%d bytes: the file has %d bytes and differs from the content, error %v", size, len(got), err)
		}
		// The presumed size is only a hint.
		for _, presumed := range []int{size, 0, max(size-1, 0), 2*size + 100_000} {
			if got := read(t, c, path, uint64(presumed)); !bytes.Equal(got, content) {
				t.Errorf("%d bytes with presumed size %d: the %d bytes read differ from the content", size, presumed, len(got))
			}
		}
	}
}

// TestContentFails checks that an error of the content fails the batch, and that later
// requests are not sent.
func TestContentFails(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	reason := errors.New("test error")
	for _, size := range []int{0, 100, 3 << 20} {
		path := fmt.Sprintf("%s/%d", dir, size)
		f, b := create(t, c, path), c.Batch()
		b.WriteFrom(f, io.MultiReader(bytes.NewReader(make([]byte, size)), failing{reason}))
		b.Fsetstat(f, sftp.WithMode(0o644))
		b.Close(f)
		if err := b.Do(t.Context()); err != reason { //nolint:errorlint // the error is not wrapped
			t.Errorf("error %v", err)
		}
		if attrs := do(t, c.Batch().Fstat(f)); attrs.Mode != modeRegular|0o600 {
			t.Errorf("mode %o, want %o", attrs.Mode, modeRegular|0o600)
		}
		f.Discard()
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestWriteFails checks that no later requests are sent once it is known that a write
// failed.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	path := dir + "/file"
	write(t, c, path, strings.NewReader("old"))
	f := do(t, c.Batch().Open(path, sftp.Read, sftp.Attrs{})) // not for writing
	b := c.Batch()
	up := b.WriteFrom(f, bytes.NewReader(make([]byte, 6<<20)))
	mode := b.Fsetstat(f, sftp.WithMode(0o644))
	if err := b.Do(t.Context()); err != nil {
		t.Fatal(err)
	}
	if up.Err == nil || errors.Is(up.Err, fs.ErrNotExist) || up.Written != 0 || mode.Err == nil {
		t.Errorf("error %v, %d bytes written, error of the later request %v, want errors and 0 bytes", up.Err, up.Written, mode.Err)
	}
	if got := do(t, c.Batch().Lstat(path)); got.Mode != modeRegular|0o600 || got.Size != 3 {
		t.Errorf("%+v", got)
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	c, dir := start(t, "-P", "posix-rename,hardlink,fsync,lsetstat,statvfs,limits,users-groups-by-id,mkdir")
	for _, ext := range []sftp.Extension{
		sftp.ExtPosixRename, sftp.ExtHardlink, sftp.ExtFsync, sftp.ExtLsetstat, sftp.ExtStatVFS, sftp.ExtLimits, sftp.ExtUsersGroups,
	} {
		if c.Has(ext) {
			t.Errorf("%s is offered, although the server denies it", ext)
		}
	}
	wantError(t, c.Batch().PosixRename(dir, dir), errors.ErrUnsupported)
	wantError(t, c.Batch().Hardlink(dir, dir), errors.ErrUnsupported)
	wantError(t, c.Batch().Lsetstat(dir, sftp.Attrs{}), errors.ErrUnsupported)
	wantError(t, c.Batch().StatVFS(dir), errors.ErrUnsupported)
	wantError(t, c.Batch().UsersGroups([]uint32{0}, nil), errors.ErrUnsupported)
	wantError(t, c.Batch().Mkdir(dir+"/x", sftp.Attrs{}), fs.ErrPermission)
	write(t, c, dir+"/file", bytes.NewReader(make([]byte, 100_000))) // in chunks of 32 KiB
	if got := read(t, c, dir+"/file", 100_000); len(got) != 100_000 {
		t.Errorf("read %d bytes, want 100000", len(got))
	}

	ro, _ := start(t, "-R")
	wantError(t, ro.Batch().Open(dir+"/new", sftp.Write|sftp.Create, sftp.Attrs{}), fs.ErrPermission)
	do(t, ro.Batch().Lstat(dir))
}

func TestUsersGroups(t *testing.T) {
	t.Parallel()
	c, _ := start(t)
	if !c.Has(sftp.ExtUsersGroups) {
		t.Skipf("the server does not offer %s", sftp.ExtUsersGroups)
	}
	got := do(t, c.Batch().UsersGroups([]uint32{0, 3_999_999_999}, []uint32{3_999_999_999, 0, 0}))
	if !slices.Equal(got.Users, []string{"root", ""}) || len(got.Groups) != 3 || got.Groups[0] != "" || got.Groups[1] == "" {
		t.Errorf("%+v", got)
	}
}

func TestReadDir(t *testing.T) {
	t.Parallel()
	server := sftptest.Start(t)
	c, dir := connect(t, server), t.TempDir()
	want := []string{".", ".."}
	for i := range 1234 {
		name := fmt.Sprintf("%04d\n\xff", i)
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	entries, err := readDir(t.Context(), c, dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, len(entries))
	for i, e := range entries {
		got[i] = e.Name
		if i > 1 && e.Attrs.Mode&0o170000 != modeRegular {
			t.Errorf("%+v", e)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d names, want %d: %.100q", len(got), len(want), got)
	}
	do(t, c.Batch().Lstat(dir)) // by now the server has closed the directory
	before := openFiles(t, server)
	for range c.List(t.Context(), do(t, c.Batch().OpenDir(dir))) {
		break
	}
	eventually(t, "the directory is closed", func() bool { return openFiles(t, server) == before })
	if _, err := readDir(t.Context(), c, dir+"/absent"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			path := fmt.Sprintf("%s/%d", dir, i)
			content := bytes.Repeat([]byte{byte(i)}, i*3000)
			for range 5 {
				b := c.Batch()
				open, stat := b.Open(path, sftp.Write|sftp.Create|sftp.Trunc, sftp.WithMode(0o600)), b.Lstat(path)
				if err := errors.Join(b.Do(t.Context()), b.First()); err != nil {
					t.Error(err)
					return
				}
				b = c.Batch()
				b.WriteFrom(open.Value, bytes.NewReader(content))
				b.Fsync(open.Value)
				size := b.Fstat(open.Value)
				b.Close(open.Value)
				if err := errors.Join(b.Do(t.Context()), b.First()); err != nil {
					t.Error(err)
					return
				}
				if size.Value.Size != uint64(len(content)) || stat.Value.Size != 0 {
					t.Errorf("file %d: size %d, before %d, want %d and 0", i, size.Value.Size, stat.Value.Size, len(content))
				}
				if got := read(t, c, path, size.Value.Size); !bytes.Equal(got, content) {
					t.Errorf("file %d: the %d bytes read differ from the content", i, len(got))
				}
			}
		})
	}
	all.Wait()
}

func TestContextEnded(t *testing.T) {
	t.Parallel()
	c, dir := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Batch().Mkdir(dir+"/x", sftp.Attrs{}).Do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	wantError(t, c.Batch().Lstat(dir+"/x"), fs.ErrNotExist)
}

// readDir lists a directory, sorted by name.
func readDir(ctx context.Context, c *sftp.Client, path string) ([]sftp.Entry, error) {
	dir, err := c.Batch().OpenDir(path).Do(ctx)
	if err != nil {
		if dir != nil {
			dir.Discard()
		}
		return nil, err
	}
	var entries []sftp.Entry
	for entry, err := range c.List(ctx, dir) {
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry)
	}
	slices.SortFunc(entries, func(a, b sftp.Entry) int { return strings.Compare(a.Name, b.Name) })
	return entries, nil
}

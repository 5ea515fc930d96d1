//go:build unix

package hosttest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// Swapped tests that operations of root do not read or change a file of root through a
// symbolic link: another user repeatedly replaces a file in a directory of theirs by such a
// link, and back. Each round tries each operation. The host must be the one on which the test runs as root.
func Swapped(t *testing.T, newHost NewHost, rounds int) {
	if os.Geteuid() != 0 {
		t.Skip("the test needs root")
	}
	const nobody, secret, own = 65534, "secret", "public"
	h, dir := newHost(t)
	e := env{T: t, Host: h, dir: dir}
	theirs, target := e.path("theirs"), t.TempDir()+"/target"
	e.must(os.Mkdir(theirs, 0o755))
	e.must(os.WriteFile(target, []byte(secret), 0o600))
	file, swapped := theirs+"/own", theirs+"/swapped"
	e.must(os.WriteFile(file, []byte(own), 0o644))
	e.must(errors.Join(os.Chown(theirs, nobody, nobody), os.Chown(file, nobody, nobody), os.Link(file, swapped)))

	var swapping sync.WaitGroup
	stop := make(chan struct{})
	swapping.Go(func() { swap(t, file, target, swapped, stop) })
	defer swapping.Wait()
	defer close(stop)
	unchanged := func(what string) {
		t.Helper()
		info, err := os.Lstat(target)
		e.must(err)
		content, err := os.ReadFile(target)
		e.must(err)
		sys := info.Sys().(*syscall.Stat_t) //nolint:forcetypeassert // the type on all systems that have root
		if info.Mode() != 0o600 || sys.Uid != 0 || string(content) != secret {
			t.Fatalf("%s: the file of root is now %s of user %d with content %q", what, info.Mode(), sys.Uid, content)
		}
	}
	done := 0
	for i := range rounds {
		if _, err := e.SetAttributes(e.ctx(), swapped, host.Attributes{Mode: new(0o640 + host.Mode(i)%2*4)}); err == nil {
			done++
		}
		unchanged("SetAttributes with a mode")
		_, _ = e.SetAttributes(e.ctx(), swapped, host.Attributes{UID: new(uint32(nobody - i%2))}) // the link may get an owner
		unchanged("SetAttributes with an owner")
		if _, r, err := e.Open(e.ctx(), swapped); err == nil {
			content, err := io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(content, []byte(own)) {
				t.Fatalf("Open: content %q, error %v", content, err)
			}
			done++
		}
		for range 20 {
			info, err := e.Lstat(e.ctx(), swapped)
			if e.must(err); (info.LinkTarget == target) != (info.Type == host.TypeSymlink) {
				t.Fatalf("Lstat returned %+v", info)
			}
		}
		if _, sum, err := host.Digest(e.ctx(), e.Host, swapped); err == nil && sum == sha256.Sum256([]byte(secret)) {
			t.Fatal("Digest returned that of the file of root")
		}
		if i%10 == 0 {
			_, err := e.WriteFile(e.ctx(), swapped, strings.NewReader(own), host.WriteOptions{})
			if err == nil {
				done++
			}
			unchanged("WriteFile")
		}
	}
	if done == 0 {
		t.Error("no operation succeeded")
	}
}

// swap replaces the object at path by a link to target and by file, in turn, until stop is
// closed.
func swap(t *testing.T, file, target, path string, stop <-chan struct{}) {
	t.Helper()
	next := path + ".next"
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		err := os.Link(file, next)
		if i%2 == 0 {
			_ = os.Remove(next)
			err = os.Symlink(target, next)
		}
		if err := errors.Join(err, os.Rename(next, path)); err != nil {
			t.Error(err)
			return
		}
	}
}

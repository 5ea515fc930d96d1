//go:build unix

package shellrpc_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shellrpc"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// TestDigestRoundTrips checks that the digests of files that are older than the helper take one
// round trip, and those of recently changed files one more, because these also need the info
// before reading. On a host that lacks GNU stat, or whose date prints no nanoseconds, all take one.
func TestDigestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, v := range remotetest.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := v.New(t)
			c := newCoalescer(t, s)
			old, changed := files(t, 20, ""), files(t, 20, "")
			time.Sleep(200 * time.Millisecond)
			if _, err := c.Lstat(t.Context(), "/"); err != nil { // starts the helper
				t.Fatal(err)
			}
			for i, path := range changed { // keeps size and mtime
				content := []byte(path)
				content[0] ^= 1
				stat, err := os.Stat(path)
				if err == nil {
					err = errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, stat.ModTime(), stat.ModTime()))
				}
				if err != nil {
					t.Fatal(err)
				}
				info, sum, err := c.Digest(t.Context(), path)
				if err != nil || sum != sha256.Sum256(content) {
					t.Fatalf("file %d: digest %x, error %v, want %x", i, sum, err, sha256.Sum256(content))
				}
				wantInfo(t, path, info)
			}
			want := 2
			if v.Name == "busybox only" {
				want = 1
			}
			for _, tt := range []struct {
				name string
				path string
				want int
			}{{"old", old[0], 1}, {"changed", changed[0], want}, {"absent", filepath.Join(t.TempDir(), "absent"), 1}} {
				before := s.Writes()
				_, _, _ = c.Digest(t.Context(), tt.path) // TestDigest checks the result
				if trips := s.Writes() - before; trips != tt.want {
					t.Errorf("%s: %d round trips, want %d", tt.name, trips, tt.want)
				}
			}
			if err := digests(t.Context(), c, old); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDirectDigest checks that a file is not read if there is a symbolic link above its path, whatever
// other paths are in the batch. The files have just been created, so they may be read twice.
func TestDirectDigest(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *remotetest.Starter) {
		dir, err := filepath.EvalSymlinks(t.TempDir()) // on macOS, there is a link above it
		if err != nil {
			t.Fatal(err)
		}
		isLinked := map[string]bool{}
		paths := []string{filepath.Join(dir, "absent", "below"), filepath.Join(dir, "real")}
		for _, name := range oddNames {
			direct, link := filepath.Join(dir, "real", name, "file"), filepath.Join(dir, "link", name)
			linked := filepath.Join(link, "file")
			err := errors.Join(os.MkdirAll(filepath.Dir(direct), 0o700), os.MkdirAll(filepath.Dir(link), 0o700),
				os.WriteFile(direct, []byte(direct), 0o600), os.Symlink(filepath.Dir(direct), link))
			if err != nil {
				t.Fatal(err)
			}
			isLinked[linked] = true
			paths = append(paths, direct, linked)
		}
		c := newCoalescer(t, s)
		check := func(i int) error {
			_, sum, err := c.DirectDigest(t.Context(), paths[i])
			var want error
			switch {
			case i == 0:
				want = fs.ErrNotExist
			case i == 1:
				want = host.ErrNotRegular
			case isLinked[paths[i]]:
				want = shellrpc.ErrLinkAbove
			}
			if !errors.Is(err, want) || want == nil && sum != sha256.Sum256([]byte(paths[i])) {
				t.Errorf("%q: digest %x, error %v, want error %v and, if that is nil, digest %x", paths[i], sum, err, want, sha256.Sum256([]byte(paths[i])))
			}
			return nil
		}
		_ = together(len(paths), check)
		for i := range paths {
			_ = check(i)
		}
	})
}

// TestDigestInPieces checks the digests of large files, which are read in pieces with output after
// each piece, so that they may take longer than [remote.ReplyTimeout]. The stat of the host prints a
// large size for all files, and its digest command rejects paths.
func TestDigestInPieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, dir, "stat", `if [ "$2" = %s ]; then echo 10000000; else exec STAT "$@"; fi`)
	script(t, dir, "sha256sum", `[ $# = 0 ] && exec SUM`)
	h, _ := newHelper(t, &remotetest.Starter{Env: []string{"PATH=" + dir + ":" + os.Getenv("PATH")}})
	c := shellrpc.NewCoalescer(h)
	paths := population(t)
	paths = append(paths, filepath.Join(dir, "absent"), fmt.Sprintf("/proc/%d/mem", os.Getpid())) // the last cannot be read
	err := together(len(paths), func(i int) error {
		content, failed := os.ReadFile(paths[i])
		if info, err := os.Lstat(paths[i]); err == nil && !info.Mode().IsRegular() {
			return nil // TestDigest covers other types
		}
		_, sum, err := c.Digest(t.Context(), paths[i])
		if (err == nil) != (failed == nil) || err == nil && sum != sha256.Sum256(content) {
			t.Errorf("%q: digest %x, error %v, want the digest of the content, which was read with error %v", paths[i], sum, err, failed)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	replies, err := h.Do(t.Context(), shellrpc.Request{Text: shell.Call("px_sums", paths[0]), Blocks: 3})
	if err != nil || !strings.HasPrefix(replies[0][1], "\n") {
		t.Errorf("no output after the first piece: %q, error %v", replies, err)
	}
}

// TestDigestOfLargeFile checks the digest of a file that is read in several pieces, with the tools of each
// kind of host.
func TestDigestOfLargeFile(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	large := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(large)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size = 2<<26 + 1<<20 // two pieces and a part of one
	want := sha256.New()
	if _, err := f.WriteString("begin"); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(want, f); err != nil {
		t.Fatal(err)
	}
	remotetest.OnEach(t, remotetest.Variants(), func(t *testing.T, s *remotetest.Starter) {
		_, sum, err := newCoalescer(t, s).Digest(t.Context(), large)
		if err != nil || sum != [32]byte(want.Sum(nil)) {
			t.Errorf("digest %x, error %v, want %x", sum, err, want.Sum(nil))
		}
	})
}

//go:build unix

package shellrpc_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
)

// TestDigestRoundTrips checks that the digests of files that are older than the helper take one
// round trip, and those of recently changed files one more, because these also need the info
// before reading. On a host whose clock has no nanoseconds, all take one.
func TestDigestRoundTrips(t *testing.T) {
	t.Parallel()
	for _, v := range remotetest.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := v.New(t)
			c := newCoalescer(t, s)
			old, changed := files(t, 20, ""), files(t, 20, "")
			time.Sleep(200 * time.Millisecond)
			if _, err := c.Stat(t.Context(), "/"); err != nil { // starts the helper
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
					t.Fatalf("wrong digest of file %d: %v", i, err)
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

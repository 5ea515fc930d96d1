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

// What a file was before it was read is only asked for where it may have changed
// since: that is one round trip for those that are older than the helper and one more
// for all others together. A host that tells no nanoseconds is asked once.
func TestDigestOfWhatHasNotChanged(t *testing.T) {
	t.Parallel()
	for _, v := range remotetest.Variants() {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			s := v.New(t)
			c := newCoalescer(t, s)
			old, changed := files(t, 20, ""), files(t, 20, "")
			time.Sleep(200 * time.Millisecond)
			if _, err := c.Stat(t.Context(), "/"); err != nil { // starts it
				t.Fatal(err)
			}
			for i, path := range changed { // of the same size, and as old by what it says itself
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
					t.Fatalf("the digest of file %d is not that of its content: %v", i, err)
				}
				wantInfo(t, path, info)
			}
			want := 2
			if v.Name == "busybox alone" {
				want = 1
			}
			for _, tt := range []struct {
				name string
				path string
				want int
			}{{"old", old[0], 1}, {"changed", changed[0], want}, {"absent", filepath.Join(t.TempDir(), "absent"), 1}} {
				before := s.Writes()
				_, _, _ = c.Digest(t.Context(), tt.path) // TestDigest looks at what it says
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

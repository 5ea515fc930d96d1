//go:build unix

package sftpfs_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

const readSize = 5<<20 + 3

// large creates a file in which no two parts are equal.
func large(t *testing.T) (path string, content []byte) {
	t.Helper()
	for i := range readSize/sha256.Size + 1 {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8), byte(i >> 16)})
		content = append(content, sum[:]...)
	}
	content = content[:readSize]
	path = t.TempDir() + "/file"
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, content
}

// TestReaderResumes checks that a reader returns the whole file although sessions end, and
// fails if the file was changed, replaced or removed in between.
func TestReaderResumes(t *testing.T) {
	t.Parallel()
	lose := func(_ *testing.T, s *sessions) { s.close() }
	for _, tt := range []struct {
		name   string
		at     int // bytes read before the session ends
		end    func(t *testing.T, s *sessions)
		before func(path string) error
		fails  bool
	}{
		{name: "session ends before the first byte", end: lose},
		{name: "session ends during the read", at: 3_000_001, end: lose},
		{name: "session ends after the last byte", at: readSize, end: lose},
		{name: "mode changed", at: 10, end: lose, before: func(p string) error { return os.Chmod(p, 0o644) }, fails: true},
		{name: "replaced", at: 10, end: lose, before: func(p string) error {
			return errors.Join(os.Remove(p), os.WriteFile(p, []byte("other"), 0o600))
		}, fails: true},
		{name: "removed", at: 10, end: lose, before: os.Remove, fails: true},
		{name: "replaced by a directory", at: 10, end: lose, before: func(p string) error {
			return errors.Join(os.Remove(p), os.Mkdir(p, 0o755))
		}, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path, content := large(t)
			s := newSessions(t)
			h := newTestHost(t, s, nil)
			_, r, err := h.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			got := make([]byte, tt.at)
			if _, err := io.ReadFull(r, got); err != nil {
				t.Fatal(err)
			}
			if tt.before != nil {
				if err := tt.before(path); err != nil {
					t.Fatal(err)
				}
			}
			tt.end(t, s)
			rest, err := io.ReadAll(r)
			switch {
			case tt.fails && (err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "the file has changed since")):
				t.Errorf("error %v, want one with %q that does not match fs.ErrNotExist", err, "the file has changed since")
			case tt.fails:
			case err != nil || !bytes.Equal(slices.Concat(got, rest), content):
				t.Errorf("%d bytes of %d, error %v, want the same content", len(got)+len(rest), len(content), err)
			}
		})
	}
}

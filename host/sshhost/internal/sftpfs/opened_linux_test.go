package sftpfs_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
)

// TestOpenedLarger checks that a link to a larger and newer file of the same owner and mode, which
// replaces the file only while the path is opened, is not read.
func TestOpenedLarger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, away, target := dir+"/file", dir+"/away", dir+"/target"
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.WriteFile(target, []byte("the content of another file"), 0o600), os.Chtimes(path, old, old)); err != nil {
		t.Fatal(err)
	}
	var tap *sftptest.Tap
	opened := func() bool { // whether the server, which executes one request after the other, has opened the target
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", tap.PID())) // the pattern is valid
		for _, link := range links {
			if file, err := os.Readlink(link); err == nil && file == target {
				return true
			}
		}
		return false
	}
	var swapped, restored bool
	h, tap := tapped(t, 0, func(kind byte, _ []byte) sftptest.Outcome {
		var err error
		switch {
		case kind == 3 && !swapped: // OPEN
			swapped = true
			err = errors.Join(os.Rename(path, away), os.Symlink(target, path))
		case kind == 7 && swapped && !restored: // LSTAT
			restored = true
			for !opened() && t.Context().Err() == nil {
				time.Sleep(time.Millisecond)
			}
			err = os.Rename(away, path)
		}
		if err != nil {
			t.Error(err)
		}
		return sftptest.Pass
	})
	info, r, err := h.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || string(content) != "old" || info.Size != 3 || !restored {
		t.Errorf("%+v has content %q, error %v, want old and size 3; restored: %t, want true", info, content, err, restored)
	}
}

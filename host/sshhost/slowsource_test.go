//go:build unix

package sshhost_test

import (
	"io"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestContentThatNeedsTheHost checks that the reader of the content may use the host, even
// with a single session: no session is held while reading from it.
func TestContentThatNeedsTheHost(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{MaxSessions: 1})
	h := open(t, o)
	dir := directory(t, h, "root")
	source := callingReader(func() error {
		if _, err := h.Lstat(t.Context(), dir); err != nil { // through the shell
			return err
		}
		_, err := h.Run(t.Context(), host.Command{Args: []string{"true"}})
		return err
	})
	if _, err := h.WriteFile(t.Context(), dir+"/file", io.MultiReader(strings.NewReader("a"), source), host.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	info, err := h.Lstat(t.Context(), dir+"/file")
	if err != nil || info.Size != 1 {
		t.Errorf("Lstat returned %+v, error %v, want size 1", info, err)
	}
}

// callingReader is a reader that calls a function and returns its error or, if there is none, io.EOF.
type callingReader func() error

func (a callingReader) Read([]byte) (int, error) {
	if err := a(); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

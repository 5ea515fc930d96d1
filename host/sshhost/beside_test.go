package sshhost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// Whoever looks at a file that is replaced finds one, also where the server has no
// extension for that.
func TestReplacedInOneStep(t *testing.T) {
	t.Parallel()
	for _, sessions := range []int{0, 1} {
		_, o := serve(t, sshdtest.Config{Subsystem: fewExtensions, MaxSessions: sessions})
		h, p := open(t, o), t.TempDir()+"/file"
		write := func(n int) {
			if _, err := h.WriteFile(t.Context(), p, strings.NewReader(fmt.Sprint(n)), host.WriteOptions{}); err != nil {
				t.Error(err)
			}
		}
		write(0)
		done := make(chan struct{})
		missed := make(chan error, 1)
		go func() {
			for {
				select {
				case <-done:
					missed <- nil
					return
				default:
				}
				if _, err := os.Lstat(p); err != nil {
					missed <- err
					return
				}
			}
		}()
		for n := range 10 {
			write(n + 1)
		}
		close(done)
		if err := <-missed; err != nil {
			t.Errorf("%d sessions: while it was replaced: %v", sessions, err)
		}
		if got, err := os.ReadFile(p); string(got) != "10" {
			t.Errorf("%d sessions: content %q, error %v", sessions, got, err)
		}
	}
}

// A host that has nothing but SFTP does what that can, and refuses the rest with
// the reason: nothing is half done.
func TestWithoutShell(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{Lines: []string{"ForceCommand " + fewExtensions}})
	h, dir := open(t, o), t.TempDir()
	p := dir + "/file"
	attrs := host.Attributes{Mode: new(host.Mode(0o640))}
	info, err := h.WriteFile(t.Context(), p, strings.NewReader("one"), host.WriteOptions{Attributes: attrs})
	if err != nil || info.Mode != 0o640 || info.Owner != "root" || info.Group != "root" {
		t.Errorf("%+v, error %v", info, err)
	}
	if _, err := h.ReplaceSymlink(t.Context(), "one", dir+"/link"); err != nil {
		t.Error(err)
	}
	refused := func(err error, lacks string) {
		t.Helper()
		if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(fmt.Sprint(err), lacks) ||
			!strings.Contains(fmt.Sprint(err), "sftp connections only") {
			t.Errorf("error %v", err)
		}
	}
	for _, content := range []io.Reader{strings.NewReader("two"), io.LimitReader(strings.NewReader("two"), 9)} {
		_, err = h.WriteFile(t.Context(), p, content, host.WriteOptions{})
		refused(err, "posix-rename@openssh.com")
	}
	_, err = h.ReplaceSymlink(t.Context(), "two", dir+"/link")
	refused(err, "posix-rename@openssh.com")
	refused(h.Rename(t.Context(), dir+"/link", p), "posix-rename@openssh.com")
	refused(h.Link(t.Context(), p, dir+"/other"), "hardlink@openssh.com")
	_, err = h.SetAttributes(t.Context(), dir+"/link", host.Attributes{UID: new(uint32(5))})
	refused(err, "lsetstat@openssh.com")
	_, err = h.LookupUser(t.Context(), "root")
	if !strings.Contains(fmt.Sprint(err), "sftp connections only") {
		t.Errorf("error %v", err)
	}

	if err := h.Rename(t.Context(), p, dir+"/moved"); err != nil {
		t.Error(err)
	}
	_, sum, err := h.Digest(t.Context(), dir+"/moved")
	if got := fmt.Sprintf("%x", sum[:4]); got != "7692c3ad" {
		t.Errorf("digest %s, error %v", got, err)
	}
	entries, err := h.ReadDir(t.Context(), dir)
	if err != nil || len(entries) != 2 || entries[0].Name != "link" || entries[1].Name != "moved" {
		t.Errorf("%+v, error %v", entries, err)
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// A content that was read for a file that SFTP then could not finish is not
// missing from the one that the shell makes.
func TestContentOfAnotherWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "once")
	text := fmt.Sprintf("#!/bin/sh\nif [ -e %[1]s.pid ]; then exit 1; fi\necho $$ >%[1]s.pid\nexec %[2]s\n", script, sftptest.Path(t))
	remotetest.WriteProgram(t, script, text)
	for name, tt := range map[string]struct {
		content io.Reader
		want    string
	}{
		"again": {strings.NewReader("new"), "new"},
		"once":  {io.LimitReader(strings.NewReader("new"), 9), "old"},
	} {
		if err := errors.Join(os.RemoveAll(script+".pid"), os.WriteFile(dir+"/"+name, []byte("old"), 0o600)); err != nil {
			t.Fatal(err)
		}
		_, o := serve(t, sshdtest.Config{Subsystem: script})
		h := open(t, o)
		kill := func(ctx context.Context, _ string) error {
			_, err := h.Run(ctx, host.Command{Args: []string{"sh", "-c", "kill -9 $(cat " + script + ".pid)"}})
			return err
		}
		_, err := h.WriteFile(t.Context(), dir+"/"+name, tt.content, host.WriteOptions{BeforeReplace: kill})
		if (err == nil) != (tt.want == "new") {
			t.Errorf("%s: error %v", name, err)
		}
		if got, err := os.ReadFile(dir + "/" + name); string(got) != tt.want {
			t.Errorf("%s: content %q, error %v", name, got, err)
		}
	}
}

package sshhost_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/sftptest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestTreeLeftover checks that root removes the directory that a killed command left behind, but
// not the content of a directory that another user put in its place: that user could replace
// directories with links while they are removed.
func TestTreeLeftover(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	h := open(t, o)
	for name, uid := range map[string]int{"own": 0, "another user's": 65534} {
		dir := directory(t, h, plain)
		at := filepath.Join(dir, ".tree.posix-tmp")
		if err := errors.Join(os.Mkdir(at, 0o700), os.WriteFile(filepath.Join(at, "kept"), nil, 0o600), os.Chown(at, uid, 0)); err != nil {
			t.Fatal(err)
		}
		err := host.WriteTree(t.Context(), h, dir, []host.TreeFile{fileOf("file", "new")})
		_, kept := os.Lstat(filepath.Join(at, "kept"))
		_, written := os.Lstat(filepath.Join(dir, "file"))
		switch {
		case uid == 0 && (err != nil || kept == nil || written != nil):
			t.Errorf("%s: error %v, want nil; Lstat of the old file: %v, want an error; of the new file: %v, want nil", name, err, kept, written)
		case uid != 0 && (err == nil || !strings.Contains(err.Error(), "belongs to another user") || kept != nil || written == nil):
			t.Errorf("%s: error %v, want an error about another user's directory; Lstat of the old file: %v, want nil; of the new file: %v, want an error", name, err, kept, written)
		}
	}
}

// TestTreeRemoved checks that a tree does not count as written if its unpacked files are removed
// before they are moved: a command whose connection broke may remove them.
func TestTreeRemoved(t *testing.T) {
	t.Parallel()
	tools := t.TempDir()
	program := "#!/bin/sh\ncase $PWD in */.tree.posix-tmp) rm -rf \"$PWD\" ;; esac\n"
	remotetest.WriteProgram(t, filepath.Join(tools, "sync"), program)
	_, o := serve(t, sshdtest.Config{Subsystem: sftptest.Path(t), Lines: []string{"ForceCommand PATH=" + tools + `:$PATH; export PATH; eval "$SSH_ORIGINAL_COMMAND"`}})
	h := open(t, o)
	err := host.WriteTree(t.Context(), h, directory(t, h, "root"), []host.TreeFile{fileOf("file", "new")})
	if err == nil || !strings.Contains(err.Error(), "was removed by another program") {
		t.Errorf("error %v, want an error about a directory that another program removed", err)
	}
}

// TestTreeMuchOutput checks that the error for a tool that prints a lot is limited in size, and contains the last
// line of the output.
func TestTreeMuchOutput(t *testing.T) {
	t.Parallel()
	tools := t.TempDir()
	remotetest.WriteProgram(t, filepath.Join(tools, "tar"), "#!/bin/sh\nhead -c 10000000 /dev/zero | tr '\\0' x >&2\necho 'tar: it is full' >&2\nexit 2\n")
	_, o := serve(t, sshdtest.Config{Subsystem: sftptest.Path(t), Lines: []string{"ForceCommand PATH=" + tools + `:$PATH; export PATH; eval "$SSH_ORIGINAL_COMMAND"`}})
	h := open(t, o)
	err := host.WriteTree(t.Context(), h, directory(t, h, "root"), []host.TreeFile{fileOf("file", "new")})
	if err == nil || !strings.Contains(err.Error(), "it is full") || len(err.Error()) > 32<<10 {
		t.Errorf("WriteTree returned an error of %d bytes, want at most 32 KiB with \"it is full\"; the error begins with %.100v", len(fmt.Sprint(err)), err)
	}
}

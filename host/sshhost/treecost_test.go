package sshhost_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestTreesTakeOneCommand checks that a tree of thousands of files takes one command to
// read and one to write, without SFTP.
func TestTreesTakeOneCommand(t *testing.T) {
	t.Parallel()
	const many = 3000
	server, o := serve(t, sshdtest.Config{})
	h := open(t, o)
	root := t.TempDir()
	var files []host.TreeFile
	var paths []string
	for i := range many {
		dir, content := fmt.Sprintf("dir %d", i%10), fmt.Sprintf("content of %d", i)
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, fmt.Sprintf("%s/%d", dir, i))
		files = append(files, host.TreeFile{
			Path: paths[i], Attributes: host.Attributes{Mode: new(host.Mode(0o640))}, Size: int64(len(content)),
			Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
		})
	}
	slices.Sort(paths)
	begun := func() (commands, sftp int) {
		log := server.Log()
		return strings.Count(log, "Starting session: command"), strings.Count(log, "Starting session: subsystem")
	}
	if _, err := host.ReadTree(t.Context(), h, root, host.TreeQuery{}); err != nil { // looks up the user names, so that the counted calls do not
		t.Fatal(err)
	}
	count := func(what string, do func() error) {
		t.Helper()
		commands, sftp := begun()
		if err := do(); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		nowCommands, nowSFTP := begun()
		if nowCommands-commands != 1 || nowSFTP != sftp {
			t.Errorf("%s takes %d commands and %d SFTP sessions, want 1 and 0", what, nowCommands-commands, nowSFTP-sftp)
		}
	}
	count("to write the tree", func() error { return host.WriteTree(t.Context(), h, root, files) })
	for what, q := range map[string]host.TreeQuery{
		"to read some": {Paths: paths, Digests: true}, "to read all": {All: true, Digests: true}, "to list the tree": {Paths: paths[:5], All: true, Digests: true},
	} {
		count(what, func() error {
			found, err := host.ReadTree(t.Context(), h, root, q)
			digests := 0
			for _, e := range found {
				if e.SHA256 != nil {
					digests++
				}
			}
			want := many
			if len(q.Paths) == 5 {
				want = 5
			}
			if digests != want || len(found) < many {
				return fmt.Errorf("%d entries with %d digests, want at least %d with %d", len(found), digests, many, want)
			}
			return err
		})
	}
}

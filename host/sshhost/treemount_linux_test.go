package sshhost_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// onHost runs a shell script in the mount namespace of a host, where the script can mount file systems, and returns its output.
func onHost(t *testing.T, h *sshhost.Host, dir, script string) string {
	t.Helper()
	var out bytes.Buffer
	result, err := h.Run(t.Context(), host.Command{Args: []string{"sh", "-ec", script}, Dir: dir, Stdout: &out, Stderr: &out})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("%s: exit code %d, error %v, output %s", script, result.ExitCode, err, out.String())
	}
	return out.String()
}

func fileOf(name, content string) host.TreeFile {
	return host.TreeFile{
		Path: name, Attributes: host.Attributes{Mode: new(host.Mode(0o644))}, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
	}
}

// TestTreeWithMount checks that a file below a mount point in a tree is replaced in one step: a copy would
// first remove the old file, and then lack space for the new one. The name of the mount point has a digit
// after a space, which mountinfo(5) escapes with digits.
func TestTreeWithMount(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	for _, tt := range []struct {
		name, mount string
		size        int
		want        error
	}{
		{"another file system", "mkdir 'a 1'; mount -t tmpfs -o size=64k tmpfs 'a 1'", 300_000, syscall.ENOSPC},
		{"the same file system", `mount -t tmpfs -o size=400k tmpfs .; cd "$PWD"; mkdir 'a 1'; mount --bind 'a 1' 'a 1'; ` +
			"head -c 150000 /dev/zero >filler", 150_000, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := open(t, o)
			dir := directory(t, h, "root")
			onHost(t, h, dir, tt.mount+"; echo old >'a 1/file'")
			content := strings.Repeat("n", tt.size)
			err := host.WriteTree(t.Context(), h, dir, []host.TreeFile{fileOf("a 1/file", content)})
			want := content
			if tt.want != nil {
				want = "old\n"
			}
			if got := onHost(t, h, dir, "cat 'a 1/file'"); !errors.Is(err, tt.want) || got != want {
				t.Errorf("content %.9q of %d bytes, error %v, want %.9q and %v", got, len(got), err, want, tt.want)
			}
		})
	}
}

package sshhost

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestHostilePaths checks that a path outside the tree in the output of the host is
// rejected.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	output := func(paths ...string) []byte {
		return []byte(strings.Join(paths, "\x00") + "\x00\x00" + strings.Repeat("41ed 0 0 0 0\n", len(paths)) + "\x00\x00done")
	}
	if got, err := parseTree(output(".", "./a", "./a/b"), host.TreeQuery{}); err != nil || len(got) != 3 {
		t.Fatalf("%+v, error %v", got, err)
	}
	for _, p := range []string{"./..", "./../b", "/etc", "./a/../../b", "./a/../b", "./a//b", "./a/."} {
		if got, err := parseTree(output(".", "./a", p), host.TreeQuery{}); !errors.Is(err, errNoTree) {
			t.Errorf("%s: %+v, error %v", p, got, err)
		}
	}
}

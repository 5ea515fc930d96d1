package sshhost

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// TestHostilePaths checks that a path in the output of the host is rejected if it is outside the tree or
// not clean.
func TestHostilePaths(t *testing.T) {
	t.Parallel()
	output := func(paths ...string) []byte {
		return []byte(strings.Join(paths, "\x00") + "\x00\x00" + strings.Repeat("41ed 0 0 0 0\n", len(paths)) + "\x00\x00done")
	}
	if got, err := parseTree(output(".", "./a", "./a/b"), host.TreeQuery{}); err != nil || len(got) != 3 {
		t.Fatalf("got %+v, error %v, want 3 entries", got, err)
	}
	for _, p := range []string{"./..", "./../b", "/etc", "./a/../../b", "./a/../b", "./a//b", "./a/."} {
		if got, err := parseTree(output(".", "./a", p), host.TreeQuery{}); !errors.Is(err, errNoTree) {
			t.Errorf("%s: got %+v, error %v, want %v", p, got, err, errNoTree)
		}
	}
}

// TestManyPaths checks that an output with more paths than the limit is an error before its end is parsed, and that a
// group with too many paths is an error.
func TestManyPaths(t *testing.T) {
	t.Parallel()
	groups := func(n, size int) []byte {
		var b strings.Builder
		b.WriteByte(0)
		for i := range n {
			for j := range size {
				fmt.Fprintf(&b, "./%d-%d\x00", i, j)
			}
			b.WriteString("\x00" + strings.Repeat("8000 0 0 0 0\n", size) + "\x00")
		}
		return []byte(b.String() + "\x00done")
	}
	for name, tt := range map[string]struct {
		output []byte
		limit  int
		want   error
	}{
		"no limit":       {groups(3, 1000), 0, nil},
		"within limit":   {groups(3, 1000), 3000, nil},
		"over the limit": {append(groups(3, 1000), "broken"...), 2000, host.ErrTooMany},
		"large group":    {groups(1, 1001), 0, errNoTree},
	} {
		if _, err := parseTree(tt.output, host.TreeQuery{All: true, Limit: tt.limit}); !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want %v", name, err, tt.want)
		}
	}
}

// TestLargeOutput checks that an output over maxTree is reported as too large, and one over a smaller limit as too
// many entries.
func TestLargeOutput(t *testing.T) {
	t.Parallel()
	for most, want := range map[int]error{maxTree: host.ErrTreeTooLarge, maxTree - 1: host.ErrTooMany} {
		b := &bounded{most: most}
		if _, err := b.Write(make([]byte, most+1)); !errors.Is(err, want) || !errors.Is(b.err(), want) {
			t.Errorf("%d bytes: error %v, want %v", most+1, err, want)
		}
	}
}

package directory

import (
	"context"
	"errors"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// nested is a host whose directories all contain the same subdirectories.
type nested struct {
	host.Host

	entries []host.DirEntry
	listed  int
}

func (n *nested) Name() string { return "web1" }

func (n *nested) ReadDir(context.Context, string) ([]host.DirEntry, error) {
	n.listed++
	if n.listed > 100 {
		return nil, errors.New("listed without end")
	}
	return n.entries, nil
}

func TestRemoveEndless(t *testing.T) {
	t.Parallel()

	n := &nested{entries: make([]host.DirEntry, 1<<18)}
	for i := range n.entries {
		n.entries[i] = host.DirEntry{Name: "a", Type: host.TypeDirectory}
	}
	if err := removeAll(t.Context(), n, "/srv", 0); !errors.Is(err, host.ErrTooMany) {
		t.Errorf("endlessly nested directories: error %v, want %v", err, host.ErrTooMany)
	}
}

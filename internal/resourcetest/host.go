package resourcetest

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// NewHost returns a host in memory that is named town and has some users and
// groups. Fault is called before each operation and makes it fail, if not nil.
func NewHost(fault func(op, path string) error) *memory.Host {
	return memory.New(memory.Config{
		Name:   "town",
		Users:  []host.User{{Name: "alice", UID: 1001, GID: 2001}, {Name: "bob", UID: 1002, GID: 2002}, {Name: "alias", UID: 1001, GID: 2001}},
		Groups: []host.Group{{Name: "staff", GID: 2001}, {Name: "guests", GID: 2002}},
		Fault:  fault,
	})
}

// WriteOn writes a file of a host, as another user of it would.
func WriteOn(t *testing.T, h host.Host, path, content string) {
	t.Helper()
	_, err := h.WriteFile(t.Context(), path, strings.NewReader(content), host.WriteOptions{})
	Must(t, err)
}

// FilesOn returns everything but directories on a host: types by path.
func FilesOn(t *testing.T, h host.Host) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		entries, err := h.ReadDir(context.Background(), dir)
		Must(t, err)
		for _, entry := range entries {
			name := path.Join(dir, entry.Name)
			if entry.Type == host.TypeDirectory {
				walk(name)
			} else {
				found[name] = entry.Type.String()
			}
		}
	}
	walk("/")
	return found
}

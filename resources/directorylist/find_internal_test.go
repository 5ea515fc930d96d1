package directorylist

import (
	"errors"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
)

// TestTooManyObjects checks that the error for too many objects advises leaving out recursive only if recursive is set,
// and that it has the maximum number of objects only for [host.ErrTooMany].
func TestTooManyObjects(t *testing.T) {
	t.Parallel()
	h := memory.New(memory.Config{Name: "web1"})
	for recursive, want := range map[bool]string{false: ". Use one of its subdirectories", true: ". Use one of its subdirectories, or leave out recursive"} {
		q := query{path: "/srv", recursive: recursive}
		for _, cause := range []error{host.ErrTooMany, host.ErrTreeTooLarge} {
			if err := q.explain(h, cause); !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "objects below it") != errors.Is(cause, host.ErrTooMany) {
				t.Errorf("recursive %t, cause %q: the error is %q, want the end %q, and \"objects below it\" only for too many objects", recursive, cause, err, want)
			}
		}
	}
}

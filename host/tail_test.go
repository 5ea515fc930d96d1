package host_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

func TestTail(t *testing.T) {
	t.Parallel()
	for _, piece := range []int{1, 3, 4, 9, 100} {
		tail := host.Tail{Max: 4}
		rest := "0123456789\xff\n"
		for len(rest) > 0 {
			n := min(piece, len(rest))
			fmt.Fprint(&tail, rest[:n])
			rest = rest[n:]
		}
		if text, whole := tail.Text(); text != "89\uFFFD\n" || whole || tail.String() != "89\uFFFD" {
			t.Errorf("pieces of %d: text %q, whole: %t, string %q, want %q, false, %q", piece, text, whole, tail.String(), "89\uFFFD\n", "89\uFFFD")
		}
	}
	var tail host.Tail
	fmt.Fprint(&tail, strings.Repeat("x", 400))
	if text, whole := tail.Text(); len(text) != 400 || !whole {
		t.Errorf("kept %d bytes of 400, whole: %t, want 400, true", len(text), whole)
	}
	fmt.Fprint(&tail, "x")
	if text, whole := tail.Text(); len(text) != 400 || whole {
		t.Errorf("kept %d bytes of 401, whole: %t, want 400, false", len(text), whole)
	}
}

package diag_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
)

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 2: "2 bytes", 11: "11 bytes", -1: "-1 bytes"} {
		if got := diag.Count(n, "byte"); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	items := []string{"a", "b", "c", "d", "e"}
	for most, want := range map[int]string{2: "a, b, and 3 more", 4: "a, b, c, d, and 1 more", 5: "a, b, c, d, e", 6: "a, b, c, d, e"} {
		if got := diag.List(items, most); got != want {
			t.Errorf("the list of at most %d items is %q, want %q", most, got, want)
		}
	}
}

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

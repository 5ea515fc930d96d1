package file_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestAccPlannedDigest: the digest and size of known content are in the plan, for a create
// and an update.
func TestAccPlannedDigest(t *testing.T) {
	t.Parallel()
	w := resourcetest.NewWorkdir(t)
	path := resourcetest.TempDir(t) + "/file"
	plan := func(content string) string {
		w.Write("main.tf", fmt.Sprintf("resource \"posix_file\" \"it\" {\n  path = %q\n  content = %q\n}\n", path, content))
		return w.Do(nil, "plan", "-no-color", "-out=saved").Output
	}
	if said := plan("hello\n"); !strings.Contains(said, "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03") {
		t.Errorf("the digest is not in the plan of a create:\n%s", said)
	}
	w.Do(nil, "apply", "-no-color", "saved")
	if said := plan("hello, world\n"); strings.Contains(said, "known after apply") || !strings.Contains(said, "= 6 -> 13") {
		t.Errorf("the plan of an update:\n%s", said)
	}
	w.Do(nil, "apply", "-no-color", "saved")
	w.Do(nil, "plan", "-detailed-exitcode", "-no-color")
}

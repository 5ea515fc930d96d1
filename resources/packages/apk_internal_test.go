package packages

import (
	"os/exec"
	"strings"
	"testing"
)

// TestAddVersionsScript checks that the script adds packages with their versions, and then without.
func TestAddVersionsScript(t *testing.T) {
	t.Parallel()
	script := `apk() { echo "$@"; [ "$6" != bad=1-r0 ]; }` + "\n" + strings.ReplaceAll(addVersionsScript, "exec apk", "apk")
	for want, packages := range map[string][]string{
		"nginx=1.24.0-r10 curl libstdc++=12~a\nnginx curl libstdc++\n": {"nginx=1.24.0-r10", "curl", "libstdc++=12~a"},
		"bad=1-r0 curl\n": {"bad=1-r0", "curl"}, // the first call fails
	} {
		out, _ := exec.CommandContext(t.Context(), "/bin/sh", append([]string{"-c", script, "sh"}, packages...)...).CombinedOutput()
		if got := strings.ReplaceAll(string(out), "--no-progress --wait 600 add -- ", ""); got != want {
			t.Errorf("%q: %q, want %q", packages, got, want)
		}
	}
}

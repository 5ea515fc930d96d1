package roottest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// Run runs a program and gives what it printed.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{}) }

func TestX(t *testing.T) {
	if got := run(t, "hostname"); got != "roottest" {
		t.Errorf("the host is %s", got)
	}
	run(t, "useradd", "alice")
	if _, _, err := tfcli.FromEnvironment().Find(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join("testdata", "..", "doc.go")); err != nil {
		t.Log(err)
	}
}

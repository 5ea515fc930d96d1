package account_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/resources/account"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// TestMain runs all tests in a root file system of their own.
func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{}) }

var types = runtime.Definition{
	Resources:   map[string]runtime.ResourceRegistration{"user": account.UserResource(), "group": account.GroupResource()},
	DataSources: map[string]runtime.DataSourceRegistration{"user": account.UserDataSource()},
	Lists:       map[string]runtime.ListRegistration{"user": account.UserLister(), "group": account.GroupLister()},
}

var serve = resourcetest.Provider(types)

// isReadOnly reports whether a recorded call runs a script that changes nothing: the read script, or the one that
// lists mount points.
func isReadOnly(args []string) bool {
	return len(args) > 2 && (strings.HasPrefix(args[2], "database=") || strings.Contains(args[2], "/proc/self/mountinfo"))
}

// sh runs a script in the test root.
func sh(script string) error {
	var output bytes.Buffer
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, output.String())
	}
	return nil
}

// does returns a function that runs a script.
func does(script string) func() error { return func() error { return sh(script) } }

func must(tb testing.TB, script string) {
	tb.Helper()
	if err := sh(script); err != nil {
		tb.Fatal(err)
	}
}

// exists returns a function that reports whether an account exists.
func exists(database, name string) func() (bool, error) {
	return func() (bool, error) {
		out, err := exec.Command("/bin/sh", "-c", `cut -d: -f1 "/etc/$0"`, database).Output()
		return strings.Contains("\n"+string(out), "\n"+name+"\n"), err
	}
}

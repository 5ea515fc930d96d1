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

// All tests run in a system of their own, as root.
func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{}) }

// types are those of this package.
var types = runtime.Definition{
	Resources:   map[string]runtime.ResourceRegistration{"user": account.UserResource(), "group": account.GroupResource()},
	DataSources: map[string]runtime.DataSourceRegistration{"user": account.UserDataSource()},
	Lists:       map[string]runtime.ListRegistration{"user": account.UserLister(), "group": account.GroupLister()},
}

var serve = resourcetest.Provider(types)

// sh runs a script of the test's own on the system.
func sh(script string) error {
	var said bytes.Buffer
	cmd := exec.Command("/bin/sh", "-ec", script)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, said.String())
	}
	return nil
}

// does is sh for a drift.
func does(script string) func() error { return func() error { return sh(script) } }

func must(tb testing.TB, script string) {
	tb.Helper()
	if err := sh(script); err != nil {
		tb.Fatal(err)
	}
}

// exists asks the system whether there is such an account.
func exists(database, name string) func() (bool, error) {
	return func() (bool, error) {
		out, err := exec.Command("/bin/sh", "-c", `cut -d: -f1 "/etc/$0"`, database).Output()
		return strings.Contains("\n"+string(out), "\n"+name+"\n"), err
	}
}

package roottest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// Main is all that a package's TestMain does:
//
//	func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{Packages: []string{"cron"}}) }
//
// It runs all tests of the package in one fresh root, in which they are root,
// and does not return where it is called outside of it. What comes before it in
// TestMain runs twice, on the machine and in the root.
//
// In the fast tier (go test -short) it runs the tests outside of a root, as the
// user who runs go test. Each test that changes the system, or needs what the root
// has, therefore calls [Require] first.
func Main(m *testing.M, o Options) {
	if !flag.Parsed() {
		flag.Parse()
	}
	exposed = testing.Short() && !inside()
	if inside() || exposed || value("test.list") != "" || value("test.fuzzworker") == "true" {
		m.Run() // TestMain's caller takes its status
		return
	}
	code, err := within(o)
	if err != nil {
		if refuse(err) {
			say("all tests fail: %v", err)
			os.Exit(1)
		}
		say("all tests are skipped: %v", err)
		os.Exit(0)
	}
	os.Exit(code)
}

// Require skips the test in the fast tier, and fails it where it runs outside of a
// root in another tier, so that it never changes the system of the user who runs it.
func Require(tb testing.TB) {
	tb.Helper()
	tier.CI(tb)
	if !inside() {
		tb.Fatal("this test needs a root, and runs outside of one: call roottest.Main in TestMain")
	}
}

// exposed says that Main runs the tests outside of a root.
var exposed bool

// Exposed returns an error where [Main] runs the tests outside of a root. What gives
// tests the host local asks it, so that a test fails there that should call [Require].
func Exposed() error {
	if exposed {
		return errExposed
	}
	return nil
}

// value is what a flag of the test binary was set to.
func value(name string) string {
	f := flag.Lookup(name)
	if f == nil {
		return ""
	}
	return f.Value.String()
}

// complaint is what lines of this package begin with.
const complaint = "roottest: "

// say writes a line to those who run the tests.
func say(format string, args ...any) {
	fmt.Fprintln(os.Stderr, complaint+strings.TrimSpace(fmt.Sprintf(format, args...)))
}

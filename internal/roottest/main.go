package roottest

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// Main runs all tests of a package in one new root, as root. TestMain calls it:
//
//	func TestMain(m *testing.M) { roottest.Main(m, roottest.Options{Packages: []string{"cron"}}) }
//
// In the process that starts the root, Main does not return. Statements before it in
// TestMain run twice, on the host and in the root.
//
// In the fast tier (go test -short), Main runs the tests outside of a root, as
// the current user. Tests that change the host or need a root must call
// [Require] first.
func Main(m *testing.M, o Options) {
	if !flag.Parsed() {
		flag.Parse()
	}
	exposed = testing.Short() && !inside()
	if inside() || exposed || value("test.list") != "" || value("test.fuzzworker") == "true" {
		m.Run() // m.Run sets the exit status
		return
	}
	code, err := within(o)
	if err != nil {
		if refuse(err) {
			logf("all tests fail: %v", err)
			os.Exit(1)
		}
		logf("all tests are skipped: %v", err)
		os.Exit(0)
	}
	os.Exit(code)
}

// Require skips the test in the fast tier. In other tiers it fails the test
// outside of a root, so that the test cannot change the host.
func Require(tb testing.TB) {
	tb.Helper()
	tier.CI(tb)
	if !inside() {
		tb.Fatal("this test runs outside of a root: call roottest.Main in TestMain")
	}
}

// exposed is set if Main runs the tests outside of a root.
var exposed bool

// Exposed returns an error if [Main] runs the tests outside of a root. It is called by
// helpers that give tests the host local, so that a test without [Require] fails.
func Exposed() error {
	if exposed {
		return errExposed
	}
	return nil
}

// value returns the value of a flag of the test binary.
func value(name string) string {
	f := flag.Lookup(name)
	if f == nil {
		return ""
	}
	return f.Value.String()
}

// prefix is the prefix of all lines that this package prints.
const prefix = "roottest: "

// logf writes a line to standard error.
func logf(format string, args ...any) {
	fmt.Fprintln(os.Stderr, prefix+strings.TrimSpace(fmt.Sprintf(format, args...)))
}

var (
	// errImpossible means that the host does not support roots.
	errImpossible = errors.New("roots are not possible on this host")
	// errMissing means that a program must be installed.
	errMissing = errors.New("run make prepare as root on Debian, or install the program manually")
	errExposed = errors.New("this test uses the host local outside of a root: call roottest.Require first")
)

// refuse reports whether tests that need a root fail because of err, instead of being
// skipped. They are skipped only if the host does not support roots or a program is missing.
// If CI is set, they fail in these cases, too. With POSIX_ACC=require, which make ci sets, they
// fail if a program is missing.
func refuse(err error) bool {
	fail := os.Getenv("CI") != ""
	if !errors.Is(err, errImpossible) {
		fail = fail || !errors.Is(err, errMissing) || os.Getenv("POSIX_ACC") == "require"
	}
	return fail
}

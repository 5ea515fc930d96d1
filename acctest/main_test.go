package acctest_test

import (
	"os"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// TestMain has the tests begin with the engine in this process, whatever the
// environment asks of suites: those that are about the command choose it.
func TestMain(m *testing.M) {
	if err := os.Unsetenv(acctest.EnvEngine); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// Package acc runs the test cases of this module, so that all suites use the same
// engines.
//
// Elsewhere: package acctest has the engines.
package acc

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Test runs a test case in parallel, on the engine that the environment selects. The
// case is built for each engine.
func Test(t *testing.T, build func() resource.TestCase) {
	t.Helper()
	t.Parallel()
	acctest.TestFunc(t, build)
}

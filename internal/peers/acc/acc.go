package acc

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// Test runs a test case beside the other tests, on the engine that the
// environment says. The case is made for each engine that it runs on, as what it
// remembers is of one run.
func Test(t *testing.T, build func() resource.TestCase) {
	t.Helper()
	t.Parallel()
	acctest.TestFunc(t, build)
}

package acc

import (
	"os"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// namespace is where an engine looks for a provider that a configuration does
// not declare, as the suites do not.
const namespace = "hashicorp"

var prepare = sync.OnceValue(func() error { return os.Setenv("TF_ACC_PROVIDER_NAMESPACE", namespace) })

// Test runs a test case beside the other tests, on the engine that the
// environment says. The case is made for each engine that it runs on, as what it
// remembers is of one run.
func Test(t *testing.T, build func() resource.TestCase) {
	t.Helper()
	t.Parallel()
	if err := prepare(); err != nil {
		t.Fatal(err)
	}
	acctest.TestFunc(t, build)
}

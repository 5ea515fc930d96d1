package faulttest_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/file"
)

func TestMain(m *testing.M) {
	file.SecretRounds = 1_000 // the race detector makes PBKDF2 ten times slower
	resourcetest.Main(m, func() (provider.Interface, error) { return resources.New("test") })
}

// newWorkdir returns a directory in which OpenTofu or Terraform starts the provider. It skips the
// test in the fast tier.
func newWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	tier.CI(t)
	return resourcetest.NewWorkdir(t)
}

package faulttest_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/serve"
)

// programName is the file name under which this test binary is the provider.
const programName = "terraform-provider-posix"

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == programName {
		serve.Main(serve.Config{
			Addresses: []string{"registry.terraform.io/posixform/posix", "registry.opentofu.org/posixform/posix"},
			Provider:  newProvider,
			Version:   "test",
		})
		return
	}
	os.Exit(m.Run())
}

func newProvider() (provider.Interface, error) { return resources.New("test") }

// newProgram returns a file that is the provider and that no other test runs, so
// that its processes are found by it.
func newProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	resourcetest.Must(t, err)
	program := filepath.Join(resourcetest.TempDir(t), programName)
	if os.Link(self, program) == nil {
		return program
	}
	in, err := os.Open(self) // on another file system
	resourcetest.Must(t, err)
	defer in.Close()
	out, err := os.OpenFile(program, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	resourcetest.Must(t, err)
	_, err = io.Copy(out, in)
	resourcetest.Must(t, err, out.Close())
	return program
}

// newWorkdir returns a directory in which the engine starts the provider.
func newWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	tier.CI(t)
	return acctest.NewWorkdir(t, newProgram(t))
}

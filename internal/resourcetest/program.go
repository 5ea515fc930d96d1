package resourcetest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/serve"
)

// programName is the file name under which a test binary is the provider.
const programName = "terraform-provider-posix"

// Main is the TestMain of a package whose test binary is also the provider's
// program, for tests of what a process of its own does: it has another working
// directory, writes a log and can be killed. Nothing has to be built for them.
func Main(m *testing.M, p func() (provider.Interface, error)) {
	if filepath.Base(os.Args[0]) != programName {
		os.Exit(m.Run())
	}
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/posixform/posix", "registry.opentofu.org/posixform/posix"},
		Provider:  p,
		Version:   "test",
	})
}

// NewProgram returns a program that is the provider of [Main]. No other test has the
// same file, so that the processes of a test are found by it.
func NewProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	Must(t, err)
	program := filepath.Join(TempDir(t), programName)
	if os.Link(self, program) != nil { // it is on another file system
		Must(t, copyProgram(self, program))
	}
	return program
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // it was only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// NewWorkdir returns a directory in which the engine's command starts the provider
// of [Main].
func NewWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	acctest.Engine(t)
	return acctest.NewWorkdir(t, NewProgram(t))
}

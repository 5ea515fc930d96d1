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

// Main is the TestMain of a package whose test binary is also the provider's program,
// for tests that need a process of its own: with another working directory and a log,
// and which can be killed. No program needs to be built.
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

// NewProgram returns the path of a program that is the provider of [Main]. The path is
// unique, so that the processes of a test can be found by it.
func NewProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	Must(t, err)
	program := filepath.Join(TempDir(t), programName)
	if os.Link(self, program) != nil { // another file system
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

package acctest

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// EnvRequire is the environment variable that, set to "require", makes tests fail
// instead of being skipped if there is no command.
const EnvRequire = "POSIX_ACC"

// Namespace is the registry namespace of the provider in a Workdir and, by default, in
// tests of this module. In other modules the default is "hashicorp".
// TF_ACC_PROVIDER_NAMESPACE overrides both defaults, as in terraform-plugin-testing.
const Namespace = "posixform"

// modulePath is the module whose tests use Namespace.
const modulePath = "github.com/posixform/terraform-provider-posix"

// inThisModule reports whether this process runs tests of this module.
var inThisModule = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && info.Main.Path == modulePath
})

// CLI is an OpenTofu or Terraform command.
type CLI = tfcli.CLI

// NeedsCLI returns the OpenTofu or Terraform command to test with and configures
// terraform-plugin-testing to use it and to run acceptance tests. It skips the test
// under go test -short, because a command takes a second or more. If there is no command,
// it skips the test, or fails it if EnvRequire is "require". It may be called from parallel
// tests.
func NeedsCLI(tb testing.TB) CLI {
	tb.Helper()
	if testing.Short() {
		tb.Skip("skipped by go test -short, because the test runs OpenTofu or Terraform (in this repository, make ci runs it)")
	}
	e := discover()
	switch {
	case e.err == nil:
	case os.Getenv(EnvRequire) == "require":
		tb.Fatalf("this test needs OpenTofu or Terraform:\n%s", e.report())
	default:
		tb.Skipf("this test needs OpenTofu or Terraform:\n%s", e.report())
	}
	return e.cli
}

type discovery struct {
	cli      CLI
	rejected []tfcli.Rejected
	err      error
}

// report returns the reasons why no command was found.
func (d discovery) report() string {
	var b strings.Builder
	for _, r := range d.rejected {
		fmt.Fprintln(&b, r)
	}
	b.WriteString(d.err.Error())
	return b.String()
}

// discover finds the command, once per process, because it changes the environment of the
// process.
var discover = sync.OnceValue(func() discovery {
	var d discovery
	d.cli, d.rejected, d.err = tfcli.FromEnvironment().Find(context.Background())
	if d.err == nil {
		d.err = setEnvironment(d.cli)
	}
	return d
})

// setEnvironment configures terraform-plugin-testing by its environment variables. It
// keeps values that are already set, except for TF_ACC_TERRAFORM_PATH and
// TF_CLI_CONFIG_FILE.
func setEnvironment(cli CLI) error {
	if err := os.Setenv("TF_ACC_TERRAFORM_PATH", cli.Path); err != nil {
		return err
	}
	// The user's CLI configuration may have mirrors or overrides that hide the provider
	// under test.
	if err := os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull); err != nil {
		return err
	}
	defaults := map[string]string{
		"TF_ACC":               "1",
		"TF_ACC_PROVIDER_HOST": cli.RegistryHost(),
		"CHECKPOINT_DISABLE":   "1",
		// By default, protocol traces would be written for every call.
		"TF_LOG_SDK":       "off",
		"TF_LOG_SDK_PROTO": "off",
	}
	if inThisModule() {
		defaults["TF_ACC_PROVIDER_NAMESPACE"] = Namespace
	}
	for name, value := range defaults {
		if os.Getenv(name) != "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}

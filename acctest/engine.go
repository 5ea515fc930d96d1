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

// EnvRequire names the environment variable which, set to "require", makes a
// test without a command fail where it would have been skipped.
const EnvRequire = "POSIX_ACC"

// Namespace is the registry namespace of the providers that a Workdir has, and of
// those that the tests of this module are about. Elsewhere it is "hashicorp", or
// what TF_ACC_PROVIDER_NAMESPACE says, as always in terraform-plugin-testing.
const Namespace = "posixform"

// home is the module whose tests mean Namespace.
const home = "github.com/posixform/terraform-provider-posix"

// atHome says whether the tests of this process are those of this module.
var atHome = sync.OnceValue(func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && info.Main.Path == home
})

// CLI is a command that plays Terraform's role.
type CLI = tfcli.CLI

// Engine returns the OpenTofu or Terraform command to test with, and sets this
// process up so that terraform-plugin-testing uses it and runs acceptance
// tests. It skips the test under go test -short, as each run of a command takes
// a second or more. It may be called from parallel tests.
func Engine(tb testing.TB) CLI {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it runs OpenTofu or Terraform, which go test -short leaves out (here, make ci runs it)")
	}
	requireCLI(tb)
	return discover().cli
}

type discovery struct {
	cli      CLI
	rejected []tfcli.Rejected
	err      error
}

// report is what a person needs to know where there is no engine.
func (d discovery) report() string {
	var b strings.Builder
	for _, r := range d.rejected {
		fmt.Fprintln(&b, r)
	}
	b.WriteString(d.err.Error())
	return b.String()
}

// discover is the one piece of state of a process: it is about the process's
// environment, which is one as well.
var discover = sync.OnceValue(func() discovery {
	var d discovery
	d.cli, d.rejected, d.err = tfcli.FromEnvironment().Find(context.Background())
	if d.err == nil {
		d.err = setEnvironment(d.cli)
	}
	return d
})

// setEnvironment says everything to terraform-plugin-testing that it has no
// parameters for. What a person has set stays, except for the command: the
// tests assert behaviour of the one that was found.
func setEnvironment(cli CLI) error {
	if err := os.Setenv("TF_ACC_TERRAFORM_PATH", cli.Path); err != nil {
		return err
	}
	// A person's own configuration file may name mirrors or overrides that
	// would shadow the provider under test.
	if err := os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull); err != nil {
		return err
	}
	defaults := map[string]string{
		"TF_ACC":               "1",
		"TF_ACC_PROVIDER_HOST": cli.RegistryHost(),
		"CHECKPOINT_DISABLE":   "1",
		// Trace lines of the protocol would be written for every call.
		"TF_LOG_SDK":       "off",
		"TF_LOG_SDK_PROTO": "off",
	}
	if atHome() {
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

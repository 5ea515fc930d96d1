package resourcetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/internal/transcript"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/serve"
)

// Provider returns a function that creates a provider of some types with the configuration
// block of the real provider, so that a package tests only its own types.
func Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOf(types, hosts.Backends{
		Local: here, Remote: func(o sshhost.Options) (host.Host, error) { return sshhost.New(o) },
	})
}

// ProviderOf is like [Provider], with the backends m.
func ProviderOf(types runtime.Definition, m hosts.Backends) func() (provider.Interface, error) {
	return build(types, func(block *hosts.Provider) (*lifecycle.Hosts, error) { return hosts.New(block, m), nil })
}

// here returns the local host, or an error if [roottest.Main] runs the tests outside of a root.
func here() (host.Host, error) {
	if err := roottest.Exposed(); err != nil {
		return nil, err
	}
	return local.New()
}

// ProviderOn is like [Provider] with one host for all names, such as a host in memory or the
// host of a transcript.
func ProviderOn(types runtime.Definition, h func() (host.Host, error)) func() (provider.Interface, error) {
	return build(types, func(*hosts.Provider) (*lifecycle.Hosts, error) {
		it, err := h()
		if err != nil {
			return nil, err
		}
		return lifecycle.NewHosts(it)
	})
}

// New returns a guarded provider from [Provider] with an empty configuration.
func New(t *testing.T, types runtime.Definition) provider.Interface {
	t.Helper()
	return Configured(t, Provider(types))
}

// NewOn is like [New] with one host for all names.
func NewOn(t *testing.T, types runtime.Definition, h host.Host) provider.Interface {
	t.Helper()
	return Configured(t, ProviderOn(types, func() (host.Host, error) { return h, nil }))
}

// Configured returns a guarded provider with an empty configuration.
func Configured(t *testing.T, p func() (provider.Interface, error)) provider.Interface {
	t.Helper()
	made, err := p()
	Must(t, err)
	made = guard.Wrap(made)
	Configure(t, made)
	return made
}

// Configure configures a provider with an empty configuration.
func Configure(t *testing.T, p provider.Interface) {
	t.Helper()
	empty := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Provider.Body.EmptyValue()
	NoErrors(t, p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: empty}).Diagnostics)
}

func build(types runtime.Definition, configure func(*hosts.Provider) (*lifecycle.Hosts, error)) func() (provider.Interface, error) {
	types.Name = "posix"
	types.Config = runtime.MakeConfig(func(_ context.Context, block *hosts.Provider) (*lifecycle.Hosts, error) { return configure(block) })
	return func() (provider.Interface, error) { return runtime.New(types) }
}

// ExampleFile returns the text of a file in the directory examples of the repository,
// such as "resources/posix_user/resource.tf".
func ExampleFile(tb testing.TB, name string) string {
	tb.Helper()
	dir, err := os.Getwd()
	Must(tb, err)
	root, ok := tfcli.RepositoryRoot(dir)
	if !ok {
		tb.Fatalf("cannot find examples/%s: %s is not in a checkout of this repository", name, dir)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", filepath.FromSlash(name)))
	Must(tb, err)
	return string(text)
}

// SSHBlock returns the provider's configuration with hosts of these names, which are all
// the same server. more has the configuration of other hosts.
func SSHBlock(t *testing.T, server *sshdtest.Server, key sshdtest.Key, more string, names ...string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, `
provider "posix" {
  user             = %q
  private_key_path = %q
  known_hosts      = [%q]
  ssh_config       = "none"
  hosts = {
`, sshdtest.Me().Name, key.File(t, ""), server.KnownHosts())
	for _, name := range names {
		fmt.Fprintf(&b, "    %s = { address = %q, port = %d }\n", name, server.Host(), server.Port())
	}
	return b.String() + more + "  }\n}\n"
}

// Imports checks that the import examples of a type import the object with this address
// and ID. It does not check the attributes of the identity. dir is the directory of the
// examples, such as "resources/posix_user".
func Imports(t *testing.T, dir, address, id string) {
	t.Helper()
	if got, want := ExampleFile(t, dir+"/import.sh"), fmt.Sprintf("terraform import %s %s\n", address, id); got != want {
		t.Errorf("%s/import.sh is %q, want %q", dir, got, want)
	}
	for name, want := range map[string]string{"import-by-string-id.tf": fmt.Sprintf("id = %q", id), "import-by-identity.tf": "identity = {"} {
		text := strings.Join(strings.Fields(ExampleFile(t, dir+"/"+name)), " ")
		if !strings.HasPrefix(text, "import { to = "+address+" ") || !strings.Contains(text, want) {
			t.Errorf("%s/%s is %q, want an import of %s with %s", dir, name, text, address, want)
		}
	}
}

// Former is a provider whose objects are moved to the provider under test. It has only
// schemas, which an engine needs for all objects in the state.
type Former struct {
	provider.Unimplemented
	Types map[string]provider.Schema
}

// New returns the provider itself, for [acctest.Workdir.Serve].
func (p Former) New() (provider.Interface, error) { return p, nil }

// GetProviderSchema implements [provider.Interface].
func (p Former) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return provider.GetProviderSchemaResponse{Provider: provider.Schema{Body: &configschema.Block{}}, ResourceTypes: p.Types}
}

// GetResourceIdentitySchemas implements [provider.Interface].
func (Former) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return provider.GetResourceIdentitySchemasResponse{}
}

// ConfigureProvider implements [provider.Interface].
func (Former) ConfigureProvider(context.Context, provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	return provider.ConfigureProviderResponse{}
}

// RecordedState is a state with objects of other providers.
type RecordedState []map[string]any

// Add adds an object of a provider such as "hashicorp/local".
func (s *RecordedState) Add(provider, typeName, name string, version int, attrs map[string]any, sensitive ...string) {
	hidden := []any{}
	for _, attribute := range sensitive {
		hidden = append(hidden, []any{map[string]any{"type": "get_attr", "value": attribute}})
	}
	*s = append(*s, map[string]any{
		"mode": "managed", "type": typeName, "name": name, "provider": fmt.Sprintf(`provider["registry.opentofu.org/%s"]`, provider),
		"instances": []any{map[string]any{"schema_version": version, "attributes": attrs, "sensitive_attributes": hidden}},
	})
}

// JSON returns the state file.
func (s RecordedState) JSON(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"version": 4, "terraform_version": "1.12.0", "serial": 1, "lineage": "6f1a4e0e-52f7-4f0b-8f0e-2b7a3f5f1c11",
		"outputs": map[string]any{}, "resources": s, "check_results": nil,
	})
	Must(t, err)
	return string(text)
}

// Recorded is a host that replays a transcript, or a real host: the local host while recording, or
// the host of a [Booted].
type Recorded struct{ host.Host }

// Record returns the host of the transcript in testdata with the name of the test.
// While recording, the test runs in a root, and the host is its local host. The names of
// such tests start with TestRecorded. The documentation of package transcript has the
// command that records all of them.
func Record(t *testing.T, o transcript.Options) Recorded {
	t.Helper()
	if transcript.Recording() {
		roottest.Require(t)
	}
	o.Real = local.New
	return Recorded{transcript.Host(t, "testdata/"+t.Name()+".transcript", o)}
}

// Provider returns the result of [ProviderOn] with this host.
func (r Recorded) Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOn(types, func() (host.Host, error) { return r.Host, nil })
}

// Does returns a function that runs a script with sh on the host, to make a manual
// change or a check. The error for a script that fails contains its output.
func (r Recorded) Does(script string) func() error {
	return func() error {
		var output strings.Builder
		result, err := r.Run(context.Background(), host.Command{Args: []string{"sh", "-ec", script}, Stdout: &output, Stderr: &output})
		if err == nil && result != (host.Result{}) {
			err = fmt.Errorf("%s: exit code %d: %s", script, result.ExitCode, output.String())
		}
		return err
	}
}

// Scope returns the scope that methods of resource types receive for a host, in a new run.
func Scope(tb testing.TB, h host.Host) *lifecycle.Scope {
	tb.Helper()
	hosts, err := lifecycle.NewHosts(h)
	Must(tb, err)
	scope, err := hosts.Scope(nil)
	Must(tb, err)
	return scope
}

// programName is the file name of a test binary that runs as the provider.
const programName = "terraform-provider-posix"

// Main is the TestMain of a package whose test binary is also the program of the provider. It is
// for tests that need the provider in a separate process, which has its own working directory
// and log, and can be killed. No program needs to be built.
func Main(m *testing.M, p func() (provider.Interface, error)) {
	ServeProgram(p)
	os.Exit(m.Run())
}

// ServeProgram serves the provider and does not return if this process runs the program of
// [NewProgram]. It is for a TestMain that does not call [Main].
func ServeProgram(p func() (provider.Interface, error)) {
	if filepath.Base(os.Args[0]) != programName {
		return
	}
	serve.Main(serve.Config{
		Addresses: []string{"registry.terraform.io/posixform/posix", "registry.opentofu.org/posixform/posix"},
		Provider:  p,
		Version:   "test",
	})
	os.Exit(0)
}

// NewProgram returns the path of a program that runs the provider of [ServeProgram]. The path is
// unique, so that it identifies the processes of a test.
func NewProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	Must(t, err)
	program := filepath.Join(TempDir(t), programName)
	if os.Link(self, program) != nil { // the directory may be on a different file system
		Must(t, copyProgram(self, program))
	}
	return program
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // the file was only read
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o700)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// NewWorkdir returns a directory in which OpenTofu or Terraform starts the provider of [ServeProgram]. It
// skips the test, or makes it fail, as [acctest.NeedsCLI] does.
func NewWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	acctest.NeedsCLI(t)
	return acctest.NewWorkdir(t, NewProgram(t))
}

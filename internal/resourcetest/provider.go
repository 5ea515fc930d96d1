package resourcetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Provider returns a provider of some types with the configuration block of the real
// one, so that a package tests only its own types.
func Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOf(types, hosts.Backends{Local: here, Remote: func(o sshhost.Options) (host.Host, error) {
		h, err := sshhost.New(o)
		if err != nil {
			return nil, err // an untyped nil
		}
		return h, nil
	}})
}

// ProviderOf is like [Provider], with these hosts.
func ProviderOf(types runtime.Definition, m hosts.Backends) func() (provider.Interface, error) {
	return build(types, func(block *hosts.Provider) (*lifecycle.Hosts, error) { return hosts.New(block, m), nil })
}

// here returns the local host, or an error if the test has not called [roottest.Require].
func here() (host.Host, error) {
	if err := roottest.Exposed(); err != nil {
		return nil, err
	}
	return local.New()
}

// ProviderOn is like [Provider] with one host for all names, such as one in memory or a
// transcript.
func ProviderOn(types runtime.Definition, h func() (host.Host, error)) func() (provider.Interface, error) {
	return build(types, func(*hosts.Provider) (*lifecycle.Hosts, error) {
		it, err := h()
		if err != nil {
			return nil, err
		}
		return lifecycle.NewHosts(it)
	})
}

// New returns a guarded [Provider] with an empty configuration.
func New(t *testing.T, types runtime.Definition) provider.Interface {
	t.Helper()
	return Configured(t, Provider(types))
}

// NewOn is [New] with one host, as [ProviderOn].
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
	dir, err := filepath.Abs(".")
	if err != nil {
		tb.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		above := filepath.Dir(dir)
		if above == dir {
			tb.Fatal("the test does not run in the repository")
		}
		dir = above
	}
	text, err := os.ReadFile(filepath.Join(dir, "examples", filepath.FromSlash(name)))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// SSHBlock returns the provider's configuration with hosts of these names, all of which
// are the same server. more has further hosts.
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

// Imports checks that the import examples of a type, in dir such as
// "resources/posix_user", import this object, which a [Life] imports in the same ways.
func Imports(t *testing.T, dir, address, id string) {
	t.Helper()
	if got, want := ExampleFile(t, dir+"/import.sh"), fmt.Sprintf("terraform import %s %s\n", address, id); got != want {
		t.Errorf("%s/import.sh is %q, want %q", dir, got, want)
	}
	for name, words := range map[string]string{"import-by-string-id.tf": fmt.Sprintf("id = %q", id), "import-by-identity.tf": "identity = {"} {
		text := strings.Join(strings.Fields(ExampleFile(t, dir+"/"+name)), " ")
		if !strings.HasPrefix(text, "import { to = "+address+" ") || !strings.Contains(text, words) {
			t.Errorf("%s/%s is not an import of %s with %s", dir, name, address, words)
		}
	}
}

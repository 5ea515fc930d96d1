package resourcetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Provider is a provider of some types, whose block is that of the real one: a
// package tests its own types without those of others.
func Provider(types runtime.Definition) func() (provider.Interface, error) {
	return ProviderOf(types, hosts.Machines{Local: here, Remote: func(o sshhost.Options) (host.Host, error) {
		h, err := sshhost.New(o)
		if err != nil {
			return nil, err // and no host, not even one that is a nil pointer
		}
		return h, nil
	}})
}

// ProviderOf is [Provider] with these machines as hosts.
func ProviderOf(types runtime.Definition, m hosts.Machines) func() (provider.Interface, error) {
	return build(types, func(block *hosts.Provider) (*lifecycle.Hosts, error) { return hosts.New(block, m), nil })
}

// here returns the host local, unless the test lacks [roottest.Require].
func here() (host.Host, error) {
	if err := roottest.Exposed(); err != nil {
		return nil, err
	}
	return local.New()
}

// ProviderOn is the same with one host, whatever the configuration says: one in
// memory, or one that answers as a recorded one did.
func ProviderOn(types runtime.Definition, h func() (host.Host, error)) func() (provider.Interface, error) {
	return build(types, func(*hosts.Provider) (*lifecycle.Hosts, error) {
		it, err := h()
		if err != nil {
			return nil, err
		}
		return lifecycle.NewHosts(it)
	})
}

// New returns a [Provider], guarded and configured by an empty configuration.
func New(t *testing.T, types runtime.Definition) provider.Interface {
	t.Helper()
	return Configured(t, Provider(types))
}

// NewOn is [New] with one host, as [ProviderOn].
func NewOn(t *testing.T, types runtime.Definition, h host.Host) provider.Interface {
	t.Helper()
	return Configured(t, ProviderOn(types, func() (host.Host, error) { return h, nil }))
}

// Configured returns a provider, guarded and configured by an empty configuration.
func Configured(t *testing.T, p func() (provider.Interface, error)) provider.Interface {
	t.Helper()
	made, err := p()
	Must(t, err)
	made = guard.Wrap(made)
	Configure(t, made)
	return made
}

// Configure configures a provider by an empty configuration.
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

// ExampleFile is the text of a file below the directory examples of the repository,
// as "resources/posix_user/resource.tf".
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

package resourcetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Provider is a provider of some types, whose block is that of the real one: a
// package tests its own types without those of others.
func Provider(types runtime.Definition) func() (provider.Interface, error) {
	return build(types, func(block *hosts.Provider) (*target.Hosts, error) {
		return hosts.New(block, hosts.Machines{Local: local.New, Remote: func(o sshhost.Options) (host.Host, error) {
			h, err := sshhost.New(o)
			if err != nil {
				return nil, err // and no host, not even one that is a nil pointer
			}
			return h, nil
		}}), nil
	})
}

// ProviderOn is the same with one host, whatever the configuration says: one in
// memory, or one that answers as a recorded one did.
func ProviderOn(types runtime.Definition, h func() (host.Host, error)) func() (provider.Interface, error) {
	return build(types, func(*hosts.Provider) (*target.Hosts, error) {
		it, err := h()
		if err != nil {
			return nil, err
		}
		return target.NewHosts(it)
	})
}

func build(types runtime.Definition, configure func(*hosts.Provider) (*target.Hosts, error)) func() (provider.Interface, error) {
	types.Name = "posix"
	types.Config = runtime.MakeConfig(func(_ context.Context, block *hosts.Provider) (*target.Hosts, error) { return configure(block) })
	return func() (provider.Interface, error) { return runtime.New(types) }
}

// ExampleFile is the text of a file below the folder examples of the repository,
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

package acctest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	tfplugin5 "github.com/hashicorp/terraform-plugin-go/tfprotov5"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/internal/protoversion"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/server"
)

// providerSet holds the providers of a test by local name. It belongs to one test and
// caches their schemas.
type providerSet map[string]*source

// source starts instances of one provider.
type source struct {
	start func(context.Context) (tfplugin.ProviderServer, error)

	mu sync.Mutex
	// first is the first instance; later ones reuse its schemas.
	first provider.Interface
}

// instance starts and returns an instance. It is an engine.Factory.
func (s *source) instance(ctx context.Context) (provider.Interface, error) {
	server, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	p, err := s.client(server)
	own, ok := server.(*closingServer)
	switch {
	case !ok:
		return p, err
	case err != nil:
		return nil, errors.Join(err, own.Close())
	}
	return closingClient{p, own}, nil
}

// client returns a client of an instance.
func (s *source) client(server tfplugin.ProviderServer) (provider.Interface, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first != nil {
		return client.NewLike(s.first, server)
	}
	first, err := client.New(server)
	if err != nil {
		return nil, err
	}
	s.first = first
	return first, nil
}

// fullServer is a server that implements the optional interfaces.
type fullServer interface {
	tfplugin.ProviderServerWithListResource //nolint:staticcheck // until the methods are in ProviderServer
	tfplugin.ProviderServerWithActions      //nolint:staticcheck // until the methods are in ProviderServer
	tfplugin.ProviderServerWithStateStores  //nolint:staticcheck // until the methods are in ProviderServer
}

// closingServer is a server of [Factories], whose provider must be closed; the protocol has
// no request to close a provider. Servers of other factories are not closed: they may be
// shared.
type closingServer struct {
	fullServer

	provider provider.Interface
}

// Close closes the provider.
func (s *closingServer) Close() error { return s.provider.Close() }

// closingClient is a client of a closingServer.
type closingClient struct {
	provider.Interface

	server *closingServer
}

// Close closes the provider.
func (c closingClient) Close() error { return c.server.Close() }

// providersOf returns the providers of a test case.
func providersOf(c *resource.TestCase) providerSet {
	set := providerSet{}
	for name, p := range c.Providers { //nolint:staticcheck // supported for existing test suites
		set.add5(name, func() (tfplugin5.ProviderServer, error) { return p.GRPCProvider(), nil })
	}
	set.addAll(c.ProviderFactories, c.ProtoV5ProviderFactories, c.ProtoV6ProviderFactories)
	return set
}

// addAll adds providers, which replace those of the same name.
func (set providerSet) addAll(
	sdk map[string]func() (*schema.Provider, error),
	v5 map[string]func() (tfplugin5.ProviderServer, error),
	v6 map[string]func() (tfplugin.ProviderServer, error),
) {
	for name, build := range sdk {
		set.add5(name, func() (tfplugin5.ProviderServer, error) {
			p, err := build()
			if err != nil {
				return nil, err
			}
			return p.GRPCProvider(), nil
		})
	}
	for name, build := range v5 {
		set.add5(name, build)
	}
	for name, build := range v6 {
		set[name] = &source{start: func(context.Context) (tfplugin.ProviderServer, error) { return build() }}
	}
}

// add5 adds a provider of protocol 5.
func (set providerSet) add5(name string, build func() (tfplugin5.ProviderServer, error)) {
	set[name] = &source{start: func(ctx context.Context) (tfplugin.ProviderServer, error) {
		p, err := build()
		if err != nil {
			return nil, err
		}
		return protoversion.Upgrade(ctx, p)
	}}
}

// addresses returns the factories by provider address: the address of each provider in the
// default registry, and all addresses of the same type that modules require.
func (set providerSet) addresses(config *configs.Config, opts configs.Options) map[addrs.Provider]engine.Factory {
	out := make(map[addrs.Provider]engine.Factory, len(set))
	for name, s := range set {
		out[addrs.Provider{Hostname: opts.Hostname, Namespace: opts.Namespace, Type: name}] = s.instance
	}
	var visit func(*configs.Config)
	visit = func(c *configs.Config) {
		if c.Module != nil {
			for _, addr := range c.Module.RequiredProviders {
				if s := set[addr.Type]; s != nil {
					out[addr] = s.instance
				}
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.Children)) {
			visit(c.Children[name])
		}
	}
	visit(config)
	return out
}

// require adds the providers of the set to the module's required providers.
func (set providerSet) require(m *configs.Module, opts configs.Options) {
	for name := range set {
		if _, ok := m.RequiredProviders[name]; !ok {
			m.RequiredProviders[name] = opts.ImpliedProvider(name)
		}
	}
}

// registry returns the default host and namespace of provider sources, the same as on
// the command line.
func registry(flavor engine.Flavor) (host, namespace string) {
	host, namespace = "registry.opentofu.org", "hashicorp"
	if inThisModule() {
		namespace = Namespace
	}
	if flavor == engine.Terraform {
		host = "registry.terraform.io"
	}
	if v := os.Getenv(resource.EnvTfAccProviderHost); v != "" {
		host = v
	}
	if v := os.Getenv(resource.EnvTfAccProviderNamespace); v != "" {
		namespace = v
	}
	return host, namespace
}

// noRegistry returns the error for ExternalProviders.
func noRegistry(external map[string]resource.ExternalProvider) error {
	names := slices.Sorted(maps.Keys(external))
	return fmt.Errorf("ExternalProviders %q come from a registry, and the in-process engine cannot install them: run the test with %s=cli or set a provider factory", names, EnvEngine)
}

// Factories returns factories that serve a provider under its local name to
// terraform-plugin-testing, in the process of the test and wrapped in the guard, as in
// production. A provider is started for each command, so build is called often. It must
// return a new provider, because [Test] and [Script] close each one after its command;
// terraform-plugin-testing closes none.
func Factories(name string, build func() (provider.Interface, error)) map[string]func() (tfplugin.ProviderServer, error) {
	return map[string]func() (tfplugin.ProviderServer, error){
		name: func() (tfplugin.ProviderServer, error) {
			p, err := build()
			if err != nil {
				return nil, err
			}
			guarded := guard.Wrap(p)
			s, err := server.New(context.Background(), guarded)
			if err != nil {
				return nil, errors.Join(err, guarded.Close())
			}
			return &closingServer{s.(fullServer), guarded}, nil //nolint:forcetypeassert // server.New documents it
		},
	}
}

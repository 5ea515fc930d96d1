package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Definition is a provider before it is built.
type Definition struct {
	// Name is the provider's local name, with which the names of its types
	// begin: the resource "file" of the provider "posix" is posix_file.
	Name string
	// Config is the provider block; its zero value is a provider without one.
	Config ConfigRegistration
	// Resources are the managed resource types, by name without the prefix.
	Resources map[string]ResourceRegistration
}

// server is the provider that a definition describes.
type server struct {
	provider.Unimplemented // the families that are not built from types

	schema    provider.GetProviderSchemaResponse
	config    *configPlan
	resources map[string]*managed
	life      life
	current   atomic.Pointer[configuration]
}

// configuration is what ConfigureProvider has left behind.
type configuration struct {
	value any
	// unknown: the block has values that are not known yet, so there is no
	// value to work with.
	unknown bool
}

// New builds the provider. Its error lists every mistake in the registered
// types, each with the type, field or method that it concerns.
func New(def Definition) (provider.Interface, error) {
	var errs []error
	if !attributeName.MatchString(def.Name) {
		errs = append(errs, fmt.Errorf("the provider's name %q is not a lower-case name", def.Name))
	}
	s := &server{config: def.Config.config, resources: make(map[string]*managed, len(def.Resources))}
	if def.Config.err != nil {
		errs = append(errs, fmt.Errorf("provider block: %w", def.Config.err))
	}
	if s.config == nil {
		s.config = noConfigPlan()
	}
	for _, name := range slices.Sorted(maps.Keys(def.Resources)) {
		typeName := def.Name + "_" + name
		if err := s.addResource(typeName, def.Resources[name]); err != nil {
			errs = append(errs, fmt.Errorf("resource %s: %w", typeName, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	s.buildSchema()
	return s, nil
}

func (s *server) addResource(typeName string, reg ResourceRegistration) error {
	switch {
	case reg.err != nil:
		return reg.err
	case reg.resource == nil:
		return errors.New("the registration is empty; use MakeResource")
	case !attributeName.MatchString(typeName):
		return errors.New("a type name has lower-case letters, digits and underscores only")
	}
	m := *reg.resource // the same registration may serve several names
	m.typeName = typeName
	if t := m.configType; t != s.config.configType && !m.usesNoConfig() {
		return fmt.Errorf("it is made for the provider configuration %s, but the provider has %s", t, s.config.configType)
	}
	s.resources[typeName] = &m
	return nil
}

func (s *server) buildSchema() {
	s.schema = provider.GetProviderSchemaResponse{
		Provider:      provider.Schema{Body: s.config.body},
		ResourceTypes: make(map[string]provider.Schema, len(s.resources)),
		ServerCapabilities: provider.ServerCapabilities{
			GetProviderSchemaOptional: true,
			MoveResourceState:         true,
		},
	}
	for name, m := range s.resources {
		s.schema.ResourceTypes[name] = m.schema()
	}
}

// GetProviderSchema is part of [provider.Interface].
func (s *server) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return s.schema
}

// GetResourceIdentitySchemas is part of [provider.Interface].
func (s *server) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	types := make(map[string]provider.IdentitySchema)
	for name, m := range s.resources {
		if m.identity != nil {
			types[name] = provider.IdentitySchema{Version: m.identity.version, Body: m.identity.schema}
		}
	}
	return provider.GetResourceIdentitySchemasResponse{IdentityTypes: types}
}

// MutableIdentity reports whether objects of the type may change their
// identity; package guard asks.
func (s *server) MutableIdentity(typeName string) bool {
	m := s.resources[typeName]
	return m != nil && m.identity != nil && m.identity.mutable
}

// ValidateProviderConfig is part of [provider.Interface].
func (s *server) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	c := &call{typeName: "the provider"}
	err := c.guardPanic(ctx, "UnmarshalText", func() error {
		_, _, err := s.config.decode(req.Config)
		return err
	})
	return provider.ValidateProviderConfigResponse{
		PreparedConfig: req.Config,
		Diagnostics:    diag.FromError("Invalid provider configuration", err),
	}
}

// ConfigureProvider is part of [provider.Interface].
func (s *server) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	ctx, leave := s.life.join(ctx)
	defer leave()
	c := &call{typeName: "the provider"}
	err := c.guardPanic(ctx, "configure", func() error {
		block, known, err := s.config.decode(req.Config)
		if err != nil {
			return err
		}
		if !known {
			s.current.Store(&configuration{unknown: true})
			return nil
		}
		value, err := s.config.configure(c.context(ctx), block)
		if !failed(err) {
			s.current.Store(&configuration{value: value})
		}
		return err
	})
	return provider.ConfigureProviderResponse{Diagnostics: c.diagnostics("Invalid provider configuration", err)}
}

// Stop is part of [provider.Interface].
func (s *server) Stop(context.Context) error {
	s.life.stop()
	return nil
}

// errNotConfigured is the answer to an operation that needs a configuration
// when there is none.
var errNotConfigured = errors.New("the provider has not been configured; this is a mistake of the client or of a test")

// errConfigUnknown is the answer to an operation while the provider block has
// unknown values and the client does not allow to put the operation off.
var errConfigUnknown = diag.Diagnostic{
	Severity: diag.Error,
	Summary:  "Provider configuration not known yet",
	Detail: "The provider's configuration has values that are known only after apply, and this operation needs them. " +
		"Apply what they come from first (with -target), or give the provider values that are known while planning.",
}

// configFor gives a resource its Config. Operations of resources that need none
// always get one.
func (s *server) configFor(m *managed) (cfg any, err error) {
	if m.usesNoConfig() {
		return NoConfig{}, nil
	}
	switch c := s.current.Load(); {
	case c == nil:
		return nil, errNotConfigured
	case c.unknown:
		return nil, &deferral{reason: provider.DeferredReasonProviderConfigUnknown, refusal: errConfigUnknown}
	default:
		return c.value, nil
	}
}

package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// configuration is the result of ConfigureProvider.
type configuration struct {
	value any
	// unknown is set if the block has unknown values; in that case there is no Config.
	unknown bool
}

// GetProviderSchema implements [provider.Interface].
func (s *server) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return s.schema
}

// GetResourceIdentitySchemas implements [provider.Interface].
func (s *server) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	types := make(map[string]provider.IdentitySchema)
	for name, m := range s.resources {
		if m.identity != nil {
			types[name] = provider.IdentitySchema{Version: m.identity.version, Body: m.identity.schema}
		}
	}
	return provider.GetResourceIdentitySchemasResponse{IdentityTypes: types}
}

// MutableIdentity reports whether the identities of objects of the type may change;
// package guard calls it.
func (s *server) MutableIdentity(typeName string) bool {
	m := s.resources[typeName]
	return m != nil && m.identity != nil && m.identity.mutable
}

// ValidateProviderConfig implements [provider.Interface].
func (s *server) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) provider.ValidateProviderConfigResponse {
	c := &call{typeName: "the provider", form: s.config.form}
	config := req.Config
	if config != cty.NilVal && config.IsNull() {
		config = s.config.body.EmptyValue() // a missing block is an empty one
	}
	return provider.ValidateProviderConfigResponse{
		PreparedConfig: req.Config,
		Diagnostics:    s.config.check(ctx, c, config, s.config.newBlock),
	}
}

// ConfigureProvider implements [provider.Interface].
func (s *server) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	ctx, leave := s.inProgress.join(ctx)
	defer leave()
	c := &call{typeName: "the provider", form: s.config.form}
	err := c.guardPanic(ctx, "configure", func() error {
		block, known, err := s.config.decode(req.Config)
		if err != nil {
			return err
		}
		if !known {
			s.use(&configuration{unknown: true})
			return nil
		}
		value, err := s.config.configure(c.context(ctx), block)
		if !failed(err) {
			s.use(&configuration{value: value})
		}
		return err
	})
	return provider.ConfigureProviderResponse{Diagnostics: c.diagnostics("Invalid provider configuration", err)}
}

// use makes c the current configuration. The previous configuration is closed when the last
// operation that may use it has ended, unless both have the same Config. Ephemeral objects that
// are still open do not delay the close: they are renewed and closed with the current configuration.
func (s *server) use(c *configuration) {
	old := s.current.Swap(c)
	if old == nil || old.same(c) {
		return
	}
	s.inProgress.afterAll(func(ctx context.Context) {
		if err := old.close(ctx); err != nil {
			// The text of the error may contain values.
			tflog.Warn(ctx, "cannot close the replaced provider configuration", map[string]any{"error_type": fmt.Sprintf("%T", err)})
		}
	})
}

// same reports whether both configurations have the same Config, which is then still in use.
func (c *configuration) same(other *configuration) bool {
	a, b := reflect.ValueOf(c.value), reflect.ValueOf(other.value)
	return a.IsValid() && b.IsValid() && a.Comparable() && b.Comparable() && c.value == other.value
}

// close closes a Config that is an io.Closer. It does not panic: the operation that ended
// last has its result by then.
func (c *configuration) close(ctx context.Context) error {
	closer, ok := c.value.(io.Closer)
	if !ok {
		return nil
	}
	return (&call{typeName: "the Config of the provider"}).guardPanic(ctx, "Close", closer.Close)
}

// Stop implements [provider.Interface].
func (s *server) Stop(context.Context) error {
	s.inProgress.stop()
	return nil
}

// endTimeout limits how long Close waits for the end of operations.
const endTimeout = 30 * time.Second

// Close implements [provider.Interface]. It cancels operations as Stop does, waits for a limited time
// until all have ended, and closes a Config that is an io.Closer, because the process is about to end.
func (s *server) Close() error {
	s.inProgress.stop()
	ended := make(chan struct{})
	s.inProgress.afterAll(func(context.Context) { close(ended) })
	select {
	case <-ended:
	case <-time.After(endTimeout):
	}
	if c := s.current.Swap(nil); c != nil {
		return c.close(context.Background())
	}
	return nil
}

// errNotConfigured is the error of an operation that needs a configuration when
// there is none.
var errNotConfigured = errors.New("the provider has not been configured; this is a bug in the client or in a test")

// errConfigUnknown is the error of an operation while the provider block has unknown
// values and the client does not allow deferral.
var errConfigUnknown = diag.Diagnostic{
	Severity: diag.Error,
	Summary:  "Unknown provider configuration",
	Detail: "The configuration of the provider has values that are known only after apply, and this operation needs them. " +
		"First apply the resources that these values depend on (with -target), or use values that are known during the plan.",
}

// configFor returns the Config of a type. For [NoConfig] there is no error. Otherwise it returns
// errNotConfigured if there is no configuration, and a *deferral while the provider block has
// unknown values.
func (s *server) configFor(configType reflect.Type) (cfg any, err error) {
	if configType == noConfigType {
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

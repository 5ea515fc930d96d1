package resourcetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// Former is a provider whose objects are moved to this one. It has only schemas, which
// an engine needs for everything in the state.
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

// RecordedState is a state of another provider.
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

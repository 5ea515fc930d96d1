package resources_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// TestPlannedHost checks that the plan of a create has the default host, for every type. The
// address of the host is unknown.
func TestPlannedHost(t *testing.T) {
	t.Parallel()
	p := resourcetest.Configured(t, func() (provider.Interface, error) {
		return resources.Build(func() (host.Host, error) { return lifecycle.NewPending("later", "address"), nil })
	})
	for typeName := range p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes {
		config, ok := minimalArguments[typeName]
		if !ok {
			t.Errorf("minimalArguments has no configuration of %s", typeName)
			continue
		}
		plan := resourcetest.NewObject(t, p, typeName).Plan(config)
		resourcetest.NoErrors(t, plan.Diagnostics)
		if got := plan.PlannedState.GetAttr("host"); !got.RawEquals(str("later")) {
			t.Errorf("%s: planned host %#v, want later", typeName, got)
		}
	}
}

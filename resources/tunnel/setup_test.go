package tunnel_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/resources/tunnel"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

func str(s string) cty.Value { return cty.StringVal(s) }

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{"command": command.Resource()},
	EphemeralResources: map[string]runtime.EphemeralRegistration{
		"tunnel": tunnel.EphemeralResource(),
	},
}

// newWorkdir returns a directory in which Terraform or OpenTofu uses the provider.
func newWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	return acctest.NewServedWorkdir(t, "posix", resourcetest.Provider(types))
}

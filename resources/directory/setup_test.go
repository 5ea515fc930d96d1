package directory_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/local"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

func str(s string) cty.Value { return cty.StringVal(s) }

func localHost(t *testing.T) host.Host {
	t.Helper()
	h, err := local.New()
	resourcetest.Must(t, err)
	return h
}

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"directory": directory.Resource(),
	},
}

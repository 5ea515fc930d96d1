package symlink_test

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

func str(s string) cty.Value { return cty.StringVal(s) }

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"symlink": symlink.Resource(),
	},
}

package hostinfo_test

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/hostinfo"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

func str(s string) cty.Value { return cty.StringVal(s) }

// types has the types of the provider under test.
var types = runtime.Definition{
	DataSources: map[string]runtime.DataSourceRegistration{
		"host": hostinfo.DataSource(),
	},
}

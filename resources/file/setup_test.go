package file_test

import (
	"maps"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/filecontent"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

func str(s string) cty.Value { return cty.StringVal(s) }

// options returns the value of write_options with these settings.
func options(set attrs) cty.Value {
	values := attrs{"parents": null, "overwrite": null, "backup": null, "validate": cty.NullVal(cty.List(cty.String)), "validate_output": null}
	maps.Copy(values, set)
	return cty.ObjectVal(values)
}

var null = cty.NullVal(cty.Bool)

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"directory": directory.Resource(),
		"file":      file.Resource(),
		"symlink":   symlink.Resource(),
	},
	DataSources: map[string]runtime.DataSourceRegistration{
		"file": filecontent.DataSource(),
	},
}

func newFile(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_file")
}

var factories = acctest.Factories("posix", resourcetest.Provider(types))

var secretRounds = file.SecretRounds

func TestMain(m *testing.M) {
	file.SecretRounds = 1_000 // faster
	resourcetest.Main(m, resourcetest.Provider(types))
}

package lifecycle_test

import (
	"maps"
	"os"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = resourcetest.Attrs

// writeOptions returns the value of write_options of a posix_file.
func writeOptions(set attrs) cty.Value {
	null := cty.NullVal(cty.Bool)
	values := attrs{"parents": null, "overwrite": null, "backup": null, "validate": cty.NullVal(cty.List(cty.String)), "validate_output": null}
	maps.Copy(values, set)
	return cty.ObjectVal(values)
}

func str(s string) cty.Value { return cty.StringVal(s) }

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"command":   command.Resource(),
		"directory": directory.Resource(),
		"file":      file.Resource(),
		"symlink":   symlink.Resource(),
	},
}

func TestMain(m *testing.M) {
	file.SecretRounds = 1_000 // faster
	os.Exit(m.Run())
}

func newFile(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_file")
}

func newDirectory(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_directory")
}

func newSymlink(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_symlink")
}

func newCommand(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_command")
}

// newWorkdir returns a directory in which the command terraform or tofu uses the provider.
func newWorkdir(t *testing.T) *acctest.Workdir {
	t.Helper()
	return acctest.NewServedWorkdir(t, "posix", resourcetest.Provider(types))
}

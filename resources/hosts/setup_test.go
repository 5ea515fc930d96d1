package hosts_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/command"
	"github.com/posixform/terraform-provider-posix/resources/directory"
	"github.com/posixform/terraform-provider-posix/resources/file"
	"github.com/posixform/terraform-provider-posix/resources/symlink"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// types has the types of the provider under test.
var types = runtime.Definition{
	Resources: map[string]runtime.ResourceRegistration{
		"command":   command.Resource(),
		"directory": directory.Resource(),
		"file":      file.Resource(),
		"symlink":   symlink.Resource(),
	},
}

func newFile(t *testing.T) *resourcetest.Object {
	t.Helper()
	return resourcetest.NewObject(t, resourcetest.New(t, types), "posix_file")
}

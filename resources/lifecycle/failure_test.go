package lifecycle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestConnectionErrorsWhilePlanning checks that a plan of a create fails if the host rejects
// the authentication, as the apply would fail too, and if the connection is lost, as nothing
// has then been checked.
func TestConnectionErrorsWhilePlanning(t *testing.T) {
	t.Parallel()
	for typeName, set := range map[string]attrs{
		"posix_file": {"content": str("x")}, "posix_directory": {}, "posix_symlink": {"target": str("x")},
	} {
		for _, kind := range []error{host.ErrRefused, host.ErrLost} {
			h := resourcetest.NewHost(func(string, string) error { return fmt.Errorf("no answer: %w", kind) })
			set["path"] = str("/o")
			resourcetest.WantError(t, resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), typeName).Plan(set).Diagnostics, "", "town:/o", "no answer", kind.Error())
		}
	}
}

// TestSudoRejectedWhilePlanning checks that plans of creates warn once about a host whose sudo rejects
// the provider, because the same apply may allow it.
func TestSudoRejectedWhilePlanning(t *testing.T) {
	t.Parallel()
	h := resourcetest.NewHost(func(string, string) error {
		return fmt.Errorf("no rights: %w", errors.Join(host.ErrRefused, host.ErrNotElevated))
	})
	p := resourcetest.NewOn(t, types, h)
	for i, path := range []string{"/a", "/b"} {
		diags := resourcetest.NewObject(t, p, "posix_file").Plan(attrs{"path": str(path), "content": str("x")}).Diagnostics
		resourcetest.NoErrors(t, diags)
		if len(diags) != 1-i || i == 0 && (diags[0].Summary != "Host rejects sudo while planning" || !strings.Contains(diags[0].Detail, "no rights")) {
			t.Errorf("the plan of %s has %v, want one warning about sudo in the first plan only", path, diags)
		}
	}
}

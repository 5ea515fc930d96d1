package lifecycle_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestHostFailures lets each operation of the host fail once in the lifecycle of an object.
// It checks that the error names the host, that the step succeeds when it is repeated, and
// that destroy removes the object.
func TestHostFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("input/output error")
	for typeName, tt := range map[string]struct{ create, update attrs }{
		"posix_file":      {attrs{"content": str("one")}, attrs{"content": str("two"), "owner": str("bob")}},
		"posix_directory": {attrs{}, attrs{"mode": str("0700"), "owner": str("bob")}},
		"posix_symlink":   {attrs{"target": str("one")}, attrs{"target": str("two")}},
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			tt.create["path"], tt.update["path"] = str("/o"), str("/o")
			for n := 1; ; n++ {
				count, failed := 0, ""
				h := resourcetest.NewHost(func(op, _ string) error {
					if count++; count == n {
						failed = op
						return broken
					}
					return nil
				})
				o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), typeName)
				apply := func(set attrs) func() diag.Diagnostics {
					return func() diag.Diagnostics {
						plan := o.Plan(set)
						if plan.Diagnostics.HasErrors() {
							return plan.Diagnostics
						}
						return o.ApplyPlan(set, plan)
					}
				}
				for _, step := range []func() diag.Diagnostics{apply(tt.create), o.Read, apply(tt.update), o.Read, o.Destroy} {
					diags := step()
					if !diags.HasErrors() {
						continue
					}
					if text := diags.Error(); !strings.Contains(text, broken.Error()) || !strings.Contains(text, "town") {
						t.Errorf("the error of a failed %s has no cause or host: %v", failed, diags)
					}
					if again := step(); again.HasErrors() {
						t.Errorf("second attempt after a failed %s: %v", failed, again)
					}
				}
				if failed == "" {
					if n < 8 {
						t.Errorf("only %d operations", n)
					}
					return
				}
				count = n
				if _, err := h.Lstat(t.Context(), "/o"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the object exists after destroy, with a failed %s (%v)", failed, err)
				}
			}
		})
	}
}

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

// TestSudoRejectedWhilePlanning checks that plans of creates warn once of a host whose sudo rejects
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
			t.Errorf("the plan of %s has %v", path, diags)
		}
	}
}

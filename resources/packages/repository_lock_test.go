package packages_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
)

// TestRepositoryDestroyLocked checks that no package is installed after a destroy has removed the key
// of a repository and before it removes the repository.
func TestRepositoryDestroyLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const file = "/etc/apt/sources.list.d/it.sources"
		a := &fakeApt{installed: map[string]bool{}}
		var beforeFile func()
		h := memory.New(memory.Config{Name: host.LocalName, Run: a.run, Fault: func(op, path string) error {
			if beforeFile != nil && path == file && strings.HasPrefix(op, "Remove") {
				beforeFile()
			}
			return nil
		}})
		_, err := host.MakeParents(t.Context(), h, file, host.Attributes{})
		resourcetest.Must(t, err)
		p := resourcetest.NewOn(t, types, h)
		repository, installed := resourcetest.NewObject(t, p, "posix_package_repository"), resourcetest.NewObject(t, p, "posix_package")
		set := repositoryOf("apt", "it", "abc")
		set["suites"], set["enabled"] = cty.ListVal([]cty.Value{cty.StringVal("./")}), cty.False
		repository.Apply(set)
		plan := installed.Plan(web)
		resourcetest.NoErrors(t, plan.Diagnostics)

		done := make(chan diag.Diagnostics, 1)
		beforeFile = func() {
			beforeFile = nil
			go func() { done <- installed.ApplyPlan(web, plan) }()
			time.Sleep(time.Minute) // until the installation has ended or waits for the lock
			synctest.Wait()
			if len(a.changes) > 0 {
				t.Errorf("the changes between the removals are %q, want none", a.changes)
			}
		}
		resourcetest.NoErrors(t, repository.DeleteNow())
		resourcetest.NoErrors(t, <-done)
		if !a.installed["web"] {
			t.Error("the package was not installed")
		}
	})
}

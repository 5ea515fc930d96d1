package twin_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/bench/disk"
	"github.com/posixform/terraform-provider-posix/bench/twin"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// TestPlansLikeTheProvider runs the lifecycle of a file with the twin and with the
// provider. The plans, which include the states before and after, must be equal.
func TestPlansLikeTheProvider(t *testing.T) {
	t.Parallel()
	// The twin and the provider manage the same path, so one runs after the other.
	path := filepath.Join(t.TempDir(), "file")
	want := plans(t, path, acctest.Factories("posix", func() (provider.Interface, error) { return resources.New("bench") }))
	got := plans(t, path, map[string]func() (tfplugin.ProviderServer, error){
		"posix": func() (tfplugin.ProviderServer, error) { return twin.New(context.Background(), &disk.Files{}) },
	})
	if len(want) != 4 {
		t.Errorf("got %d plans of the provider, want 4", len(want))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the plans of the twin and of the provider differ (-provider +twin):\n%s", diff)
	}
}

// change is the part of a plan that is about one resource.
type change struct{ Before, After, Unknown, Identity any }

// plans creates, updates and destroys a file, and returns the plans before and after the
// create and the update.
func plans(t *testing.T, path string, factories map[string]func() (tfplugin.ProviderServer, error)) []change {
	t.Helper()
	var r recorder
	step := func(content string) resource.TestStep {
		return resource.TestStep{
			Config: fmt.Sprintf("resource \"posix_file\" \"this\" {\n  path    = %q\n  content = %q\n}\n", path, content),
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply:             []plancheck.PlanCheck{&r},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan(), &r},
			},
		}
	}
	acctest.Test(t, resource.TestCase{ProtoV6ProviderFactories: factories, Steps: []resource.TestStep{step("one\n"), step("another\n")}})
	return r.changes
}

// recorder is a plan check that accepts every plan and keeps its changes.
type recorder struct{ changes []change }

func (r *recorder) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, _ *plancheck.CheckPlanResponse) {
	for _, c := range req.Plan.ResourceChanges {
		r.changes = append(r.changes, change{c.Change.Before, c.Change.After, c.Change.AfterUnknown, c.Change.AfterIdentity})
	}
}

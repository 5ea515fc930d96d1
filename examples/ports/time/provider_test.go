package timeport_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	timeport "github.com/posixform/terraform-provider-posix/examples/ports/time"
	"github.com/posixform/terraform-provider-posix/provider"
)

// The suite of the published provider, which make ci runs, tests the port. These tests find
// most mistakes earlier, and test what that suite does not.

// start is the time of the clock of a test when it starts.
var start = time.Date(2020, time.February, 12, 6, 36, 13, 5e8, time.UTC)

// steps applies steps with the clock that now points to.
func steps(t *testing.T, now *time.Time, steps ...resource.TestStep) {
	t.Helper()
	acctest.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories("time", func() (provider.Interface, error) {
			return timeport.New(func() time.Time { return *now })
		}),
		Steps: steps,
	})
}

func action(address string, a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func attribute(address, name, value string) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.StringExact(value))
}

// TestRotation checks that a resource is created again once the clock is past its rotation, and
// that a rotation which depends on an unknown value is unknown in the plan of the update.
func TestRotation(t *testing.T) {
	t.Parallel()
	now := start
	const config, address = `resource "time_rotating" "test" { rotation_hours = 1 }`, "time_rotating.test"
	steps(t, &now,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{attribute(address, "rotation_rfc3339", "2020-02-12T07:36:13Z")}},
		resource.TestStep{
			PreConfig: func() { now = start.Add(time.Hour - time.Second) },
			Config:    config, ConfigPlanChecks: action(address, plancheck.ResourceActionNoop),
		},
		resource.TestStep{
			PreConfig: func() { now = start.Add(time.Hour) },
			Config:    config, ConfigPlanChecks: action(address, plancheck.ResourceActionCreate),
			ConfigStateChecks: []statecheck.StateCheck{attribute(address, "rotation_rfc3339", "2020-02-12T08:36:13Z")},
		},
		resource.TestStep{
			Config: `
resource "time_static" "now" {}
resource "time_rotating" "test" { rotation_days = time_static.now.day }`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(address, tfjsonpath.New("rotation_rfc3339")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				attribute(address, "rfc3339", "2020-02-12T07:36:13Z"), attribute(address, "rotation_rfc3339", "2020-02-24T07:36:13Z"),
			},
		},
	)
}

// TestOffset checks that an update keeps the base, and the import ID of the documentation, in
// which numbers that are not set are zero.
func TestOffset(t *testing.T) {
	t.Parallel()
	now := start
	const address = "time_offset.test"
	steps(t, &now,
		resource.TestStep{Config: `resource "time_offset" "test" { offset_days = 6 }`},
		resource.TestStep{
			PreConfig: func() { now = start.Add(time.Hour) },
			Config:    `resource "time_offset" "test" { offset_days = 7 }`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectKnownValue(address, tfjsonpath.New("rfc3339"), knownvalue.StringExact("2020-02-19T06:36:13Z")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{attribute(address, "base_rfc3339", "2020-02-12T06:36:13Z")},
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: "2020-02-12T06:36:13Z,0,0,7,0,0,0"},
		resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: "2020-02-12T06:36:13Z,7",
			ExpectError: regexp.MustCompile(`must have 7 parts`),
		},
	)
}

// TestSleep checks that both durations are waited for, and the import IDs.
func TestSleep(t *testing.T) {
	t.Parallel()
	now := start
	const address = "time_sleep.test"
	begin := time.Now()
	steps(t, &now,
		resource.TestStep{Config: `resource "time_sleep" "test" {
  create_duration  = "100ms"
  destroy_duration = "200ms"
}`},
		resource.TestStep{
			Config: `resource "time_sleep" "test" {
  create_duration  = "0.1s"
  destroy_duration = "200000us"
}`,
			ConfigPlanChecks: action(address, plancheck.ResourceActionNoop),
		},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "100ms,200ms", ImportStateVerify: true},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "30s", ExpectError: regexp.MustCompile(`separated by a comma`)},
		resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: "30s,soon", ExpectError: regexp.MustCompile(`not a duration`)},
	)
	if waited := time.Since(begin); waited < 300*time.Millisecond {
		t.Errorf("waited for %s, want at least 300ms", waited)
	}
}

package timeport_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/acctest"
	timeport "github.com/posixform/terraform-provider-posix/examples/ports/time"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// make ci also runs the acceptance tests of the published provider against the port. The tests in
// this package find most mistakes without those tests, and check what those tests do not.

// start is the time on a test's clock when the test starts.
var start = time.Date(2020, time.February, 12, 6, 36, 13, 5e8, time.UTC)

// steps applies steps with a clock that returns *now. The first step sets *now to start, because
// the steps can run on two engines.
func steps(t *testing.T, now *time.Time, steps ...resource.TestStep) {
	t.Helper()
	steps[0].PreConfig = func() { *now = start }
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

func number(address, name string, value int64) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(address, tfjsonpath.New(name), knownvalue.Int64Exact(value))
}

// TestEquivalentTimestamps checks that the fraction of a second is kept, that a different form
// of the same timestamp is not a change, and that a different fraction or zone is a change.
func TestEquivalentTimestamps(t *testing.T) {
	t.Parallel()
	var now time.Time
	const address = "time_static.test"
	config := func(timestamp string) string {
		return fmt.Sprintf(`resource "time_static" "test" { rfc3339 = %q }`, timestamp)
	}
	steps(t, &now,
		resource.TestStep{Config: config("2035-06-01T10:00:00.50Z"), ConfigStateChecks: []statecheck.StateCheck{attribute(address, "id", "2035-06-01T10:00:00.5Z")}},
		resource.TestStep{Config: config("2035-06-01T10:00:00.5+00:00"), ConfigPlanChecks: action(address, plancheck.ResourceActionNoop)},
		resource.TestStep{Config: config("2035-06-01T10:00:00.6Z"), ConfigPlanChecks: action(address, plancheck.ResourceActionReplace)},
		resource.TestStep{Config: config("2035-06-01T12:00:00+02:00"), ConfigPlanChecks: action(address, plancheck.ResourceActionReplace)},
		resource.TestStep{Config: config("2035-06-01T12:00:00.0+02:00"), ConfigPlanChecks: action(address, plancheck.ResourceActionNoop)},
	)
}

// TestRotation checks that a resource is created again once the clock is past its rotation, and
// that a rotation which depends on an unknown value is unknown in the plan of the update. It also
// checks that an incomplete import ID is rejected.
func TestRotation(t *testing.T) {
	t.Parallel()
	var now time.Time
	const config, address = `resource "time_rotating" "test" { rotation_hours = 1 }`, "time_rotating.test"
	steps(t, &now,
		resource.TestStep{Config: config, ConfigStateChecks: []statecheck.StateCheck{attribute(address, "rotation_rfc3339", "2020-02-12T07:36:13Z"), number(address, "hour", 7)}},
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
				number(address, "day", 24), number(address, "unix", time.Date(2020, time.February, 24, 7, 36, 13, 0, time.UTC).Unix()),
			},
		},
		resource.TestStep{
			ResourceName: address, ImportState: true, ImportStateId: "2020-02-12T07:36:13Z,1,2",
			ExpectError: regexp.MustCompile(`must be\s+BASE,ROTATION\s+or\s+BASE,YEARS,MONTHS,DAYS,HOURS,MINUTES`),
		},
	)
}

// TestConstraints checks that invalid configurations are rejected.
func TestConstraints(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{
		`resource "time_offset" "test" {}`:                         `One of offset_years`,
		`resource "time_rotating" "test" {}`:                       `One of rotation_rfc3339`,
		`resource "time_rotating" "test" { rotation_minutes = 0 }`: `1 or more`,
		`resource "time_rotating" "test" { rotation_hours = 0 }`:   `1 or more`,
		`resource "time_rotating" "test" { rotation_days = 0 }`:    `1 or more`,
		`resource "time_rotating" "test" { rotation_months = 0 }`:  `1 or more`,
		`resource "time_rotating" "test" { rotation_years = 0 }`:   `1 or more`,
		`resource "time_sleep" "test" {}`:                          `One of create_duration`,
		`resource "time_sleep" "test" { create_duration = "1" }`:   `not a duration`,
		`resource "time_static" "test" { rfc3339 = "2035-06-01" }`: `timestamp such as`,
	} {
		t.Run(config, func(t *testing.T) {
			t.Parallel()
			var now time.Time
			steps(t, &now, resource.TestStep{Config: config, ExpectError: regexp.MustCompile(want)})
		})
	}
}

// TestOffset checks that an update keeps the base, that a documented import ID, with zero for
// each unset number, is accepted, and that an incomplete one is rejected.
func TestOffset(t *testing.T) {
	t.Parallel()
	var now time.Time
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
			ExpectError: regexp.MustCompile(`must be\s+BASE,YEARS,MONTHS,DAYS,HOURS,MINUTES,SECONDS`),
		},
	)
}

// TestSleep checks that Create and Delete wait for their durations, and that Create returns the
// error of a canceled context.
func TestSleep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		create, destroy := runtime.Duration(time.Hour), runtime.Duration(2*time.Hour)
		sleep := timeport.Sleep{CreateDuration: &create, DestroyDuration: &destroy}
		begin := time.Now()
		out, err := sleep.Create(t.Context(), time.Now)
		if err != nil {
			t.Fatal(err)
		}
		created := time.Now()
		if err := sleep.Delete(t.Context(), time.Now, out); err != nil {
			t.Fatal(err)
		}
		if got := [2]time.Duration{created.Sub(begin), time.Since(created)}; got != [2]time.Duration{time.Hour, 2 * time.Hour} {
			t.Errorf("Create and Delete waited for %s, want 1h and 2h", got)
		}
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := sleep.Create(canceled, time.Now); !errors.Is(err, context.Canceled) {
			t.Errorf("Create returned %v, want %v", err, context.Canceled)
		}
	})
}

// TestSleepImport checks valid and invalid import IDs, and that an equivalent duration is not a change.
func TestSleepImport(t *testing.T) {
	t.Parallel()
	var now time.Time
	const address = "time_sleep.test"
	config := func(create, destroy string) string {
		return fmt.Sprintf("resource \"time_sleep\" \"test\" {\n  create_duration = %q\n  destroy_duration = %q\n}\n", create, destroy)
	}
	imported := func(id string) resource.TestStep {
		return resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: id, ImportStateVerify: true}
	}
	refused := func(id, reason string) resource.TestStep {
		return resource.TestStep{ResourceName: address, ImportState: true, ImportStateId: id, ExpectError: regexp.MustCompile(reason)}
	}
	steps(t, &now,
		resource.TestStep{Config: config("1ms", "1ms")},
		imported("1ms,1ms"),
		resource.TestStep{Config: config("0.001s", "2ms"), ConfigPlanChecks: action(address, plancheck.ResourceActionUpdate)},
		resource.TestStep{Config: config("1000us", "0.002s"), ConfigPlanChecks: action(address, plancheck.ResourceActionNoop)},
		refused("30s", `separated by a comma`),
		refused("30s,soon", `not a duration`),
	)
}

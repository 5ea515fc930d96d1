package clock_test

import (
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/posixform/terraform-provider-posix/internal/peers/acc"
	"github.com/posixform/terraform-provider-posix/internal/peers/clock"
)

// watch is a clock that tests advance.
type watch struct {
	mu  sync.Mutex
	now time.Time
}

func newWatch() *watch { return &watch{now: time.Date(2024, 2, 28, 23, 30, 0, 0, time.UTC)} }

func (w *watch) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *watch) Wait(d time.Duration) func() {
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now = w.now.Add(d)
	}
}

func (w *watch) factories() map[string]func() (*schema.Provider, error) {
	return map[string]func() (*schema.Provider, error){
		"clock": func() (*schema.Provider, error) { return clock.Provider(w.Now), nil },
	}
}

func TestProviderIsSound(t *testing.T) {
	t.Parallel()
	if err := clock.Provider(time.Now).InternalValidate(); err != nil {
		t.Error(err)
	}
}

func action(address string, a plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, a)}}
}

func TestStatic(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		w := newWatch()
		return resource.TestCase{
			ProviderFactories: w.factories(),
			Steps: []resource.TestStep{
				{
					Config: `resource "clock_static" "t" {}`,
					Check: resource.ComposeAggregateTestCheckFunc(
						resource.TestCheckResourceAttr("clock_static.t", "rfc3339", "2024-02-28T23:30:00Z"),
						resource.TestCheckResourceAttr("clock_static.t", "day", "28"),
						resource.TestCheckResourceAttr("clock_static.t", "hour", "23"),
						resource.TestCheckResourceAttr("clock_static.t", "unix", "1709163000"),
						resource.TestCheckResourceAttr("clock_static.t", "second", "0"),
					),
				},
				{
					PreConfig: w.Wait(time.Hour),
					Config:    `resource "clock_static" "t" {}`,
					PlanOnly:  true,
				},
				{ResourceName: "clock_static.t", ImportState: true, ImportStateVerify: true},
				{ResourceName: "clock_static.t", ImportState: true, ImportStateId: "yesterday", ExpectError: regexp.MustCompile(`the\s+id\s+of\s+a\s+static\s+time\s+must\s+be\s+an`)},
			},
		}
	})
}

func TestStaticTriggers(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		w := newWatch()
		config := func(v string) string {
			return "resource \"clock_static\" \"t\" {\n  triggers = { v = \"" + v + "\" }\n}\n"
		}
		return resource.TestCase{
			ProviderFactories: w.factories(),
			Steps: []resource.TestStep{
				{Config: config("a"), Check: resource.TestCheckResourceAttr("clock_static.t", "year", "2024")},
				{
					PreConfig:        w.Wait(366 * 24 * time.Hour),
					Config:           config("b"),
					ConfigPlanChecks: action("clock_static.t", plancheck.ResourceActionReplace),
					Check:            resource.TestCheckResourceAttr("clock_static.t", "year", "2025"),
				},
			},
		}
	})
}

// TestStaticFormats checks that the same time in another time zone is not a change, and
// that another time is a replacement.
func TestStaticFormats(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(v string) string { return "resource \"clock_static\" \"t\" {\n  rfc3339 = \"" + v + "\"\n}\n" }
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{Config: config("noon"), ExpectError: regexp.MustCompile(`RFC\s*3339`)},
				{Config: config("2020-02-12T06:36:13Z"), Check: resource.TestCheckResourceAttr("clock_static.t", "hour", "6")},
				{
					Config:           config("2020-02-12T07:36:13+01:00"),
					ConfigPlanChecks: action("clock_static.t", plancheck.ResourceActionNoop),
					Check:            resource.TestCheckResourceAttr("clock_static.t", "rfc3339", "2020-02-12T06:36:13Z"),
				},
				{
					Config:           config("2020-02-12T06:36:13+01:00"),
					ConfigPlanChecks: action("clock_static.t", plancheck.ResourceActionReplace),
					Check:            resource.TestCheckResourceAttr("clock_static.t", "hour", "6"),
				},
			},
		}
	})
}

func TestOffset(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		w := newWatch()
		config := func(offset string) string { return "resource \"clock_offset\" \"t\" {\n" + offset + "\n}\n" }
		return resource.TestCase{
			ProviderFactories: w.factories(),
			Steps: []resource.TestStep{
				{Config: config(""), ExpectError: regexp.MustCompile(`one of\s+.offset_days`)},
				{
					Config: config("offset_days = 7"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectUnknownValue("clock_offset.t", tfjsonpath.New("rfc3339")),
						plancheck.ExpectUnknownValue("clock_offset.t", tfjsonpath.New("base_rfc3339")),
					}},
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr("clock_offset.t", "rfc3339", "2024-03-06T23:30:00Z"),
						resource.TestCheckResourceAttr("clock_offset.t", "base_rfc3339", "2024-02-28T23:30:00Z"),
					),
				},
				// All parts of an update are planned.
				{
					PreConfig: w.Wait(time.Hour),
					Config:    config("offset_days = -1\n  offset_hours = 2\n"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("clock_offset.t", plancheck.ResourceActionUpdate),
						plancheck.ExpectKnownValue("clock_offset.t", tfjsonpath.New("rfc3339"), knownvalue.StringExact("2024-02-28T01:30:00Z")),
						plancheck.ExpectKnownValue("clock_offset.t", tfjsonpath.New("hour"), knownvalue.Int64Exact(1)),
					}},
					Check: resource.TestCheckResourceAttr("clock_offset.t", "rfc3339", "2024-02-28T01:30:00Z"),
				},
				{Config: config("offset_days = -1\n  offset_hours = 2\n"), PlanOnly: true},
			},
		}
	})
}

func TestOffsetOfAnother(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{
					Config: `
resource "clock_static" "start" {}
resource "clock_offset" "end" {
  base_rfc3339   = clock_static.start.rfc3339
  offset_months  = 1
  offset_minutes = 45
}
output "days" { value = floor((clock_offset.end.unix - clock_static.start.unix) / 86400) }
`,
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownOutputValue("days", knownvalue.Int64Exact(29)),
						statecheck.ExpectKnownValue("clock_offset.end", tfjsonpath.New("month"), knownvalue.Int64Exact(3)),
						statecheck.ExpectKnownValue("clock_offset.end", tfjsonpath.New("offset_years"), knownvalue.Null()),
					},
				},
				// The base is known only after the replacement, so the plan is unknown.
				{
					Config: `
resource "clock_static" "start" { rfc3339 = "2023-01-31T00:00:00Z" }
resource "clock_offset" "end" {
  base_rfc3339   = clock_static.start.rfc3339
  offset_months  = 2
}
`,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("clock_static.start", plancheck.ResourceActionReplace),
						plancheck.ExpectResourceAction("clock_offset.end", plancheck.ResourceActionReplace),
					}},
					Check: resource.TestCheckResourceAttr("clock_offset.end", "rfc3339", "2023-03-31T00:00:00Z"),
				},
			},
		}
	})
}

// TestRotating checks that an expired rotation is replaced by the next apply.
func TestRotating(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		w := newWatch()
		const config = `
resource "clock_rotating" "t" { rotation_days = 30 }
resource "clock_static" "of" {
  triggers = { rotation = clock_rotating.t.id }
}
`
		return resource.TestCase{
			ProviderFactories: w.factories(),
			Steps: []resource.TestStep{
				{
					Config: config,
					Check:  resource.TestCheckResourceAttr("clock_rotating.t", "rotation_rfc3339", "2024-03-29T23:30:00Z"),
				},
				{PreConfig: w.Wait(29 * 24 * time.Hour), Config: config, PlanOnly: true},
				{PreConfig: w.Wait(24 * time.Hour), RefreshState: true, ExpectNonEmptyPlan: true},
				{
					Config: config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("clock_rotating.t", plancheck.ResourceActionCreate),
						plancheck.ExpectResourceAction("clock_static.of", plancheck.ResourceActionReplace),
					}},
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr("clock_rotating.t", "rfc3339", "2024-03-29T23:30:00Z"),
						resource.TestCheckResourceAttrPair("clock_static.of", "triggers.rotation", "clock_rotating.t", "id"),
					),
				},
			},
		}
	})
}

func TestRotatingUpdate(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(years string) string {
			return "resource \"clock_rotating\" \"t\" {\n  rfc3339 = \"2024-01-01T00:00:00Z\"\n  rotation_years = " + years + "\n}\n"
		}
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{Config: config("0"), ExpectError: regexp.MustCompile(`to be at least \(1\)`)},
				{Config: config("2")},
				{
					Config: config("3"),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction("clock_rotating.t", plancheck.ResourceActionUpdate),
						plancheck.ExpectUnknownValue("clock_rotating.t", tfjsonpath.New("rotation_rfc3339")),
						plancheck.ExpectKnownValue("clock_rotating.t", tfjsonpath.New("year"), knownvalue.Int64Exact(2024)),
					}},
					Check: resource.TestCheckResourceAttr("clock_rotating.t", "rotation_rfc3339", "2027-01-01T00:00:00Z"),
				},
				{
					ResourceName:      "clock_rotating.t",
					ImportState:       true,
					ImportStateId:     "2024-01-01T00:00:00Z,3,,,,,",
					ImportStateVerify: true,
				},
				{
					ResourceName:            "clock_rotating.t",
					ImportState:             true,
					ImportStateId:           "2024-01-01T00:00:00Z,4,,,,,",
					ImportStateVerify:       true,
					ImportStateVerifyIgnore: []string{"rotation_years", "rotation_rfc3339"},
				},
				{
					ResourceName:  "clock_rotating.t",
					ImportState:   true,
					ImportStateId: "2024-01-01T00:00:00Z",
					ExpectError:   regexp.MustCompile(`the\s+id\s+of\s+a\s+rotating\s+time\s+must\s+be\s+TIME,YEARS`),
				},
			},
		}
	})
}

// TestRotatingImportDiffers checks that an import is verified with the stored values.
func TestRotatingImportDiffers(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{Config: `resource "clock_rotating" "t" { rotation_months = 3 }`},
				{
					ResourceName:      "clock_rotating.t",
					ImportState:       true,
					ImportStateId:     "2024-02-28T23:30:00Z,,6,,,,",
					ImportStateVerify: true,
					ExpectError:       regexp.MustCompile(`(?s)ImportStateVerify attributes not equivalent.*rotation_months`),
				},
			},
		}
	})
}

func TestSleep(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{Config: `resource "clock_sleep" "t" { create_duration = "soon" }`, ExpectError: regexp.MustCompile(`"create_duration"\s+must\s+be\s+a\s+duration`)},
				{
					Config: `
resource "clock_static" "before" {}
resource "clock_sleep" "t" {
  create_duration  = "2ms"
  destroy_duration = "1ms"
  depends_on       = [clock_static.before]
}
resource "clock_static" "after" {
  triggers = { slept = clock_sleep.t.id }
}
`,
					Check: resource.ComposeTestCheckFunc(
						resource.TestCheckResourceAttr("clock_sleep.t", "create_duration", "2ms"),
						resource.TestCheckResourceAttr("clock_static.after", "triggers.slept", "slept"),
					),
				},
				{
					Config:           `resource "clock_sleep" "t" { create_duration = "3ms" }`,
					ConfigPlanChecks: action("clock_sleep.t", plancheck.ResourceActionUpdate),
					Check:            resource.TestCheckResourceAttr("clock_sleep.t", "destroy_duration", ""),
				},
			},
		}
	})
}

// TestConditions checks that a failed condition has its own error message.
func TestConditions(t *testing.T) {
	acc.Test(t, func() resource.TestCase {
		config := func(offset string) string {
			return `
resource "clock_static" "now" {}
resource "clock_offset" "due" {
  base_rfc3339 = clock_static.now.rfc3339
  offset_days  = ` + offset + `
  lifecycle {
    postcondition {
      condition     = self.unix > clock_static.now.unix
      error_message = "It must be due later than ${clock_static.now.rfc3339}."
    }
  }
}
check "soon" {
  assert {
    condition     = clock_offset.due.year == clock_static.now.year
    error_message = "It is due in another year."
  }
}
`
		}
		return resource.TestCase{
			ProviderFactories: newWatch().factories(),
			Steps: []resource.TestStep{
				{Config: config("-1"), ExpectError: regexp.MustCompile(`It must be due later than\s+2024-02-28T23:30:00Z`)},
				{Config: config("1")},
				{Config: config("400")},
			},
		}
	})
}

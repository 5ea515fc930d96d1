package conformance_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestReport checks the text of a complete report.
func TestReport(t *testing.T) {
	t.Parallel()
	want := `planted_file breaks the law "a refresh right after an apply changes nothing" (read-after-apply).
Why it matters: Every later run would report changes that nobody made.

ReadResource: a refresh returned an object that differs from that of the apply
  size
    expected: 1
    actual:   0

The smallest case:
  1. apply: configuration 1

# configuration 1
resource "planted_file" "this" {
  content = ""
  name    = "a"
}

To reproduce: ACCTEST_SEED=planted_file:1:0
`
	if diff := cmp.Diff(want, one(t, optionsFor(t, wrongComputed)).String()); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestHintLogical checks that the findings of a type whose objects are only in the state
// suggest Logical.
func TestHintLogical(t *testing.T) {
	t.Parallel()
	for _, law := range []string{"gone-found", "destroy-removes", "drift-found"} {
		t.Run(law, func(t *testing.T) {
			t.Parallel()
			p := &ideal{body: small(), onRead: func(req provider.ReadResourceRequest, resp *provider.ReadResourceResponse) {
				resp.NewState, resp.Identity, resp.Private = req.PriorState, req.CurrentIdentity, req.Private
			}}
			options := idealOptions(p)
			options.Waive = map[string]string{"gone-found": "x", "destroy-removes": "x", "drift-found": "x", "import-finds": "x", "import-complete": "x", "import-then-plan": "x", "engine-agrees": "x"}
			delete(options.Waive, law)
			options.Types["ideal_thing"] = conformance.Type{}
			if f := one(t, options); f.Law.ID != law || !strings.Contains(f.What, "If the object is only in the state, like a random number, set Logical") {
				t.Errorf("want the law %s and the hint to set Logical, got:\n%s", law, f)
			}
		})
	}
}

// TestReplay checks that a finding is reproduced with its replay value, without the cases
// before it, and that an incomplete value is an error.
func TestReplay(t *testing.T) {
	f := one(t, optionsFor(t, driftOfMode))
	t.Setenv(conformance.EnvSeed, f.Replay)
	options := optionsFor(t, driftOfMode)
	options.Seed = 2
	report, err := conformance.Find(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Types["planted_file"].Cases != 1 {
		t.Fatalf("got %d findings, want 1 finding and 1 case:\n%v\nthe report:\n%s", len(report.Findings), report.Findings, report)
	}
	if diff := cmp.Diff(f.String(), report.Findings[0].String()); diff != "" {
		t.Errorf("the replay differs (-first +second):\n%s", diff)
	}
	t.Setenv(conformance.EnvSeed, "planted_file:1")
	if _, err := conformance.Find(t.Context(), options); err == nil || !strings.Contains(err.Error(), "TYPE:SEED:NUMBER") {
		t.Errorf("with an incomplete replay value, Find returned the error %v, want an error with the format TYPE:SEED:NUMBER", err)
	}
}

// TestWaive checks that a waived law is not reported.
func TestWaive(t *testing.T) {
	t.Parallel()
	options := optionsFor(t, goneIsUndeletable)
	options.Waive = map[string]string{"destroy-twice": "an object is destroyed only once"}
	options.Runs = 30
	report, err := conformance.Find(t.Context(), options)
	if err != nil || len(report.Findings) > 0 {
		t.Errorf("Find returned the error %v and the report %s, want no error and no findings", err, report)
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	fine := optionsFor(t, noBug)
	for contains, change := range map[string]func(*conformance.Options){
		"Options.Provider is not set":        func(o *conformance.Options) { o.Provider = nil },
		`has "plan-emty", which is not`:      func(o *conformance.Options) { o.Waive = map[string]string{"plan-emty": ""} },
		`has "schema-lawful", but the other`: func(o *conformance.Options) { o.Waive = map[string]string{"schema-lawful": ""} },
		"no resource type planted_nothing":   func(o *conformance.Options) { o.Types = map[string]conformance.Type{"planted_nothing": {}} },
		`Options.Types["planted_file"].Leave has "lable", which is not an attribute or block of the type. The type has: content,`: func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Leave: []string{"name", "lable"}}}
		},
		`Options.Config has "dir", which the provider block does not have`: func(o *conformance.Options) {
			o.Config = cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal("x")})
		},
		"cannot create the provider: out of order": func(o *conformance.Options) {
			o.Provider = func(context.Context) (provider.Interface, error) { return nil, errors.New("out of order") }
		},
		"cannot generate a valid configuration of planted_file": func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Values: map[string]func(*rand.Rand) cty.Value{
				"name": func(*rand.Rand) cty.Value { return cty.StringVal("no name") },
			}}}
		},
		`Options.Types["planted_file"].Values["name"] gives a value of the wrong type: name: string required, but received number`: func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Values: map[string]func(*rand.Rand) cty.Value{
				"name": func(*rand.Rand) cty.Value { return cty.NumberIntVal(1) },
			}}}
		},
		`Options.Types["planted_file"].Values["name"] gives a value of the wrong type: name: string required, but received no value`: func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Values: map[string]func(*rand.Rand) cty.Value{
				"name": func(*rand.Rand) cty.Value { return cty.NilVal },
			}}}
		},
		`Options.Types["planted_file"].Fix gives a value of the wrong type: name: string required, but received list of string`: func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Fix: func(_ *rand.Rand, config map[string]cty.Value) {
				config["name"] = cty.ListVal([]cty.Value{cty.StringVal("x")})
			}}}
		},
		"a name has letters and digits": func(o *conformance.Options) {
			o.Types = map[string]conformance.Type{"planted_file": {Fix: func(_ *rand.Rand, config map[string]cty.Value) {
				config["name"] = cty.StringVal("")
			}}}
		},
	} {
		options := fine
		change(&options)
		report, err := conformance.Find(t.Context(), options)
		if err == nil || !strings.Contains(err.Error(), contains) || report != nil && len(report.Findings) > 0 {
			t.Errorf("want an error with %q and no findings, got the error %v and the report %v", contains, err, report)
		}
	}
}

// TestIdealBugs plants bugs in a provider with nested types and blocks, and checks that the
// reports have minimized nested values and no sensitive ones.
func TestIdealBugs(t *testing.T) {
	t.Parallel()
	panicking := errors.New("hush-hush")
	tests := map[string]struct {
		plant func(p *ideal)
		law   string
		// contains are parts of the report. never is a text that the report must not contain.
		contains []string
		never    string
	}{
		"an apply reverses a list of blocks": {
			plant: func(p *ideal) {
				p.apply = func(v cty.Value) cty.Value { return reversed(v, "list_block") }
			},
			law:      "apply-keeps-plan",
			contains: []string{"list_block[0].size", "  list_block {\n    name = \"\"\n  }\n  list_block {\n    name = \"\"\n    size = 0\n  }\n"},
			never:    "many",
		},
		"an apply stores a write-only value": {
			plant: func(p *ideal) {
				p.apply = func(v cty.Value) cty.Value { return with(v, "token", cty.StringVal("hush")) }
			},
			law:      "write-only-not-stored",
			contains: []string{"token is write-only and is in the state"},
			never:    "hush",
		},
		"a sensitive value is changed": {
			plant: func(p *ideal) {
				p.apply = func(v cty.Value) cty.Value {
					if v.GetAttr("password").IsNull() {
						return v
					}
					return with(v, "password", cty.StringVal("hush"))
				}
			},
			law:      "apply-keeps-plan",
			contains: []string{"password\n    expected: (sensitive)\n    actual:   (sensitive)", "password = \"(sensitive)\""},
			never:    "hush",
		},
		"an unknown value is stored": {
			plant: func(p *ideal) {
				p.apply = func(v cty.Value) cty.Value { return with(v, "note", cty.UnknownVal(cty.String)) }
			},
			law: "stored-known", contains: []string{"note is unknown"},
		},
		"a map with more than one key panics": {
			plant: func(p *ideal) {
				p.apply = func(v cty.Value) cty.Value {
					if m := v.GetAttr("map"); !m.IsNull() && m.LengthInt() > 1 {
						panic(panicking)
					}
					return v
				}
			},
			law:      "no-panic",
			contains: []string{"panicked with a *errors.errorString", "at report_test.go:", "in " + "github.com/posixform/terraform-provider-posix/acctest/conformance_test"},
			never:    "hush-hush",
		},
		"unknown values are refused": {
			plant: func(p *ideal) {
				p.validate = func(config cty.Value) (diags diag.Diagnostics) {
					if !config.GetAttr("number").IsKnown() {
						diags = diags.Errorf(cty.GetAttrPath("number"), "Not a number", "The value is not a number.")
					}
					return diags
				}
			},
			law: "validate-unknown", contains: []string{"number = terraform_data.number_0.output", "with unknown number"},
		},
		"the schema of a block is invalid": {
			plant: func(p *ideal) {
				p.body.BlockTypes["set_block"].MinItems = -1
			},
			law: "schema-lawful", contains: []string{"set_block"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &ideal{body: everything()}
			tt.plant(p)
			f := one(t, idealOptions(p))
			text := f.String()
			if f.Law.ID != tt.law {
				t.Errorf("want the law %s, got:\n%s", tt.law, text)
			}
			for _, contains := range tt.contains {
				if !strings.Contains(text, contains) {
					t.Errorf("want %q in:\n%s", contains, text)
				}
			}
			if tt.never != "" && strings.Contains(text, tt.never) {
				t.Errorf("unexpected %q in:\n%s", tt.never, text)
			}
		})
	}
}

func with(v cty.Value, name string, to cty.Value) cty.Value {
	values := v.AsValueMap()
	values[name] = to
	return cty.ObjectVal(values)
}

func reversed(v cty.Value, name string) cty.Value {
	list := v.GetAttr(name).AsValueSlice()
	for i := range len(list) / 2 {
		list[i], list[len(list)-1-i] = list[len(list)-1-i], list[i]
	}
	return with(v, name, cty.ListVal(list))
}

// TestRefusedOperations checks the finding about an operation that never succeeds.
func TestRefusedOperations(t *testing.T) {
	t.Parallel()
	options := optionsFor(t, noBug)
	options.Provider = newPlanted(noBug, t.TempDir()+"/is/not/there")
	f := one(t, options)
	if f.Law.ID != "apply-works" || !strings.Contains(f.What, "no create of a valid configuration succeeded in ") || len(f.Steps) != 1 {
		t.Errorf("want the law apply-works for a create and one step, got:\n%s", f)
	}
}

// counted counts the calls of Close.
type counted struct {
	provider.Interface
	closed *int
}

func (c counted) Close() error {
	*c.closed++
	return c.Interface.Close()
}

// TestOneInstance checks that only OneInstance uses a single instance, and that each
// instance is closed.
func TestOneInstance(t *testing.T) {
	t.Parallel()
	for _, only := range []bool{true, false} {
		opened, closed := 0, 0
		options := optionsFor(t, noBug)
		build := options.Provider
		options.OneInstance, options.Runs, options.Flavor = only, 20, engine.Terraform
		options.Provider = func(ctx context.Context) (provider.Interface, error) {
			opened++
			p, err := build(ctx)
			return counted{p, &closed}, err
		}
		conformance.Conformance(t, options)
		if opened != closed || (opened == 1) != only {
			t.Errorf("with OneInstance %t, %d instances were opened and %d closed, want all closed, and only one opened if OneInstance is true", only, opened, closed)
		}
	}
}

// TestLaws checks that laws have unique IDs, a text and a reason that ends with a period.
func TestLaws(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, law := range conformance.Laws() {
		if seen[law.ID] || law.Text == "" || !strings.HasSuffix(law.Why, ".") {
			t.Errorf("the law has a duplicate ID, no text or no period after the reason: %+v", law)
		}
		seen[law.ID] = true
	}
}

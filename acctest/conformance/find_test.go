package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
)

// emptied returns a function for Options.Reset that removes the files in a directory.
func emptied(dir string) func(context.Context) error {
	return func(context.Context) error {
		files, err := filepath.Glob(dir + "/*")
		for _, file := range files {
			err = errors.Join(err, os.Remove(file))
		}
		return err
	}
}

func optionsFor(t *testing.T, b bug) conformance.Options {
	t.Helper()
	dir := t.TempDir()
	return conformance.Options{
		Provider: newPlanted(b, dir), Reset: emptied(dir), Seed: 1,
		Types: map[string]conformance.Type{"planted_file": {StateOnly: []string{"passphrase", "labels"}}},
	}
}

// one checks the laws and returns the finding. The test fails unless there is exactly one.
func one(t *testing.T, options conformance.Options) *conformance.Finding {
	t.Helper()
	return only(t, options).Findings[0]
}

// only checks the laws and returns the report. The test fails unless it has exactly one
// finding.
func only(t *testing.T, options conformance.Options) *conformance.Report {
	t.Helper()
	report, err := conformance.Find(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 {
		t.Fatalf("got %d findings, want 1:\n%v\nthe report:\n%s", len(report.Findings), report.Findings, report)
	}
	return report
}

// TestPlantedBugs plants one bug at a time in a resource that keeps all laws. Each must
// be found by one of its laws, with a minimal case: few steps, few attributes, the right
// values. The number of calls is asserted instead of the time.
func TestPlantedBugs(t *testing.T) {
	t.Parallel()
	tests := map[bug]struct {
		// laws are the laws that the bug breaks; any of them may be reported.
		laws []string
		// steps and attributes are the maximum numbers in the case; attributes is the total
		// of all configurations.
		steps, attributes int
		// contains is a part of the report.
		contains string
	}{
		unstableIdentity:  {[]string{"identity-stable"}, 2, 4, "identity.size"},
		lostPrivate:       {[]string{"private-kept"}, 1, 2, "private data changed from 36 bytes to 0 bytes"},
		wrongComputed:     {[]string{"read-after-apply"}, 1, 2, "size\n    expected: 1\n    actual:   0"},
		ignoredDrift:      {[]string{"drift-found"}, 2, 5, "another configuration was applied outside of Terraform, and a refresh does not show it"},
		driftOfMode:       {[]string{"drift-found"}, 2, 5, "mode\n    expected: "},
		trimmedContent:    {[]string{"apply-keeps-plan"}, 1, 2, "content\n    expected: \""},
		forgottenMode:     {[]string{"read-after-apply"}, 2, 5, "mode\n    expected: "},
		leftFile:          {[]string{"destroy-removes", "gone-found"}, 2, 2, "a refresh still finds"},
		unrecordedCreate:  {[]string{"failed-apply"}, 1, 2, "the file already exists"},
		wrongDigest:       {[]string{"apply-keeps-plan"}, 1, 2, "sha256\n    expected: "},
		importsLower:      {[]string{"import-finds"}, 2, 2, `name    = "A"`},
		plansDiffer:       {[]string{"plan-deterministic"}, 1, 2, "tag\n    expected: "},
		spelledMode:       {[]string{"apply-keeps-plan"}, 1, 3, "mode\n    expected: "},
		shownSecret:       {[]string{"secret-shown"}, 1, 3, `the passphrase \"(sensitive)\" is a bad one`},
		planWrites:        {[]string{"plan-changes-nothing"}, 2, 4, "content\n    expected: "},
		goneIsError:       {[]string{"destroy-removes", "gone-found"}, 2, 2, "the file cannot be read"},
		goneIsUndeletable: {[]string{"destroy-twice"}, 1, 2, "the file cannot be removed"},
		onlyGrows:         {[]string{"drift-found"}, 2, 5, "PlanResourceChange: after a change outside of Terraform the last configuration cannot be applied again"},
	}
	for b, want := range tests {
		t.Run(string(b), func(t *testing.T) {
			options := optionsFor(t, b)
			options.ShrinkFor = time.Minute // for slow hosts
			report := only(t, options)
			f := report.Findings[0]
			if report.Calls > 20_000 {
				t.Errorf("%d calls of the provider, want at most 20000", report.Calls)
			}
			t.Logf("%d calls", report.Calls)
			if !slices.Contains(want.laws, f.Law.ID) || len(f.Steps) > want.steps || attributesIn(f) > want.attributes {
				t.Errorf("want one of the laws %s, at most %d steps and %d attributes, got:\n%s", want.laws, want.steps, want.attributes, f)
			}
			if text := f.String(); !strings.Contains(text, want.contains) || strings.Contains(text, "hush-") {
				t.Errorf("want %q and no passphrase in the finding, got:\n%s", want.contains, text)
			}
		})
	}
}

// attributesIn returns the number of arguments in the configurations of a finding.
func attributesIn(f *conformance.Finding) int {
	return strings.Count(strings.Join(f.Configs, ""), " = ")
}

// unusable is a provider that cannot return its schema if schema is set, and cannot be configured
// if configuration is set.
type unusable struct {
	provider.Interface
	schema, configuration bool // which requests fail
	open                  *int
}

var unusableDiags = diag.Diagnostics{{Severity: diag.Error, Summary: "unusable"}}

func (p unusable) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	if p.schema {
		return provider.GetProviderSchemaResponse{Diagnostics: unusableDiags}
	}
	return p.Interface.GetProviderSchema(ctx, req)
}

func (p unusable) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) provider.ConfigureProviderResponse {
	if p.configuration {
		return provider.ConfigureProviderResponse{Diagnostics: unusableDiags}
	}
	return p.Interface.ConfigureProvider(ctx, req)
}

func (p unusable) Close() error {
	*p.open--
	return p.Interface.Close()
}

// TestUnusableProvider checks that a provider that cannot be configured is closed, even if it
// is not the first instance.
func TestUnusableProvider(t *testing.T) {
	t.Parallel()
	cases := map[string]func(o *conformance.Options, p *unusable, start int){
		"no schema": func(_ *conformance.Options, p *unusable, _ int) { p.schema = true },
		"a wrong Options.Config": func(o *conformance.Options, _ *unusable, _ int) {
			o.Config = cty.ObjectVal(map[string]cty.Value{"dir": cty.StringVal("x")})
		},
		"a refused configuration": func(_ *conformance.Options, p *unusable, _ int) { p.configuration = true },
	}
	// Some of these starts occur during the life of an object.
	for first := 2; first < 12; first++ {
		cases[fmt.Sprintf("a configuration refused by instance %d", first)] = func(_ *conformance.Options, p *unusable, start int) { p.configuration = start >= first }
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := optionsFor(t, noBug)
			build, starts, open := options.Provider, 0, 0
			options.Provider = func(ctx context.Context) (provider.Interface, error) {
				p, err := build(ctx)
				starts++
				open++
				u := unusable{Interface: p, open: &open}
				change(&options, &u, starts)
				return u, err
			}
			change(&options, &unusable{}, 0)
			if report, err := conformance.Find(t.Context(), options); err == nil || starts == 0 || open != 0 {
				t.Errorf("Find = %v, %v, want an error; of %d instances, %d are open, want 0", report, err, starts, open)
			}
		})
	}
}

// TestNoBug checks that a correct provider has no finding.
func TestNoBug(t *testing.T) {
	t.Parallel()
	options := optionsFor(t, noBug)
	options.Runs = tier.Pick(50, 100, 200)
	conformance.Conformance(t, options)
}

package conformance_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// emptied removes the files in a folder.
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
		Provider: planted(b, dir), Reset: emptied(dir), Seed: 1,
		Types: map[string]conformance.Type{"planted_file": {StateOnly: []string{"passphrase", "labels"}}},
	}
}

// one is the finding of the options.
func one(t *testing.T, options conformance.Options) *conformance.Finding {
	t.Helper()
	return only(t, options).Findings[0]
}

// only is the report of a try that finds one thing.
func only(t *testing.T, options conformance.Options) *conformance.Report {
	t.Helper()
	report, err := conformance.Find(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings in %s", len(report.Findings), report)
	}
	return report
}

// TestPlantedBugs plants one mistake after another in a resource that keeps every
// law. Each has to be found by its law, in seconds, in a case that could hardly be
// smaller: the steps, the attributes of each configuration, and what came. How long
// it takes is a matter of the machine; what is asserted is how often the provider is
// asked, which is a second's work where nothing else runs.
func TestPlantedBugs(t *testing.T) {
	t.Parallel()
	tests := map[bug]struct {
		// laws that it breaks: whichever is seen first is told.
		laws []string
		// steps and attributes are the most that the case may have; attributes
		// are those of all its configurations.
		steps, attributes int
		// says is a part of the report.
		says string
	}{
		unstableIdentity:  {[]string{"identity-stable"}, 2, 4, "identity.size"},
		lostPrivate:       {[]string{"private-kept"}, 1, 2, "private data went from 36 bytes to 0 bytes"},
		wrongComputed:     {[]string{"read-after-apply"}, 1, 2, "size\n    expected: 1\n    came:     0"},
		ignoredDrift:      {[]string{"drift-found"}, 2, 5, "somebody else applied another configuration, and a refresh does not show it"},
		driftOfMode:       {[]string{"drift-found"}, 2, 5, "mode\n    expected: "},
		trimmedContent:    {[]string{"apply-keeps-plan"}, 1, 2, "content\n    expected: \""},
		forgottenMode:     {[]string{"read-after-apply"}, 2, 5, "mode\n    expected: "},
		leftFile:          {[]string{"destroy-removes", "gone-found"}, 2, 2, "says that it exists"},
		unrecordedCreate:  {[]string{"failed-apply"}, 1, 2, "there is a file of that name"},
		wrongDigest:       {[]string{"apply-keeps-plan"}, 1, 2, "sha256\n    expected: "},
		importsLower:      {[]string{"import-finds"}, 2, 2, `name    = "A"`},
		plansDiffer:       {[]string{"plan-deterministic"}, 1, 2, "tag\n    expected: "},
		spelledMode:       {[]string{"apply-keeps-plan"}, 1, 3, "mode\n    expected: "},
		shownSecret:       {[]string{"secret-shown"}, 1, 3, `the passphrase \"(sensitive)\" is a bad one`},
		planWrites:        {[]string{"plan-changes-nothing"}, 2, 4, "content\n    expected: "},
		goneIsError:       {[]string{"destroy-removes", "gone-found"}, 2, 2, "the file cannot be read"},
		goneIsUndeletable: {[]string{"destroy-twice"}, 1, 2, "the file cannot be removed"},
		onlyGrows:         {[]string{"drift-found"}, 2, 5, "PlanResourceChange answered, and the object was changed, and what was applied before cannot be applied again"},
	}
	for b, want := range tests {
		t.Run(string(b), func(t *testing.T) {
			options := optionsFor(t, b)
			options.ShrinkFor = time.Minute // on a machine that is busy, too
			report := only(t, options)
			f := report.Findings[0]
			if report.Calls > 20_000 {
				t.Errorf("the provider was asked %d times", report.Calls)
			}
			t.Logf("%d calls", report.Calls)
			if !slices.Contains(want.laws, f.Law.ID) || len(f.Steps) > want.steps || attributesIn(f) > want.attributes {
				t.Errorf("want one of the laws %s, at most %d steps and %d attributes, got:\n%s", want.laws, want.steps, want.attributes, f)
			}
			if text := f.String(); !strings.Contains(text, want.says) || strings.Contains(text, "hush-") {
				t.Errorf("want %q in the report, and no passphrase:\n%s", want.says, text)
			}
		})
	}
}

// attributesIn counts the arguments in the configurations of a finding.
func attributesIn(f *conformance.Finding) int {
	return strings.Count(strings.Join(f.Configs, ""), " = ")
}

// TestNoBug is what makes a finding worth reading: where nothing is wrong, none
// is made.
func TestNoBug(t *testing.T) {
	t.Parallel()
	options := optionsFor(t, noBug)
	options.Runs = tier.Pick(50, 100, 200)
	conformance.Conformance(t, options)
}

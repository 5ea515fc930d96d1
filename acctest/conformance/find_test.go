package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
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
	report, err := conformance.Find(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 {
		t.Fatalf("%d findings in %s", len(report.Findings), report)
	}
	return report.Findings[0]
}

// TestPlantedBugs plants one mistake after another in a resource that keeps every
// law. Each has to be found by its law, in seconds, in a case that could hardly be
// smaller: the steps, the attributes of each configuration, and what came.
func TestPlantedBugs(t *testing.T) {
	t.Parallel()
	applied, changed := "apply: configuration 1", "apply: configuration 2"
	// What somebody else changes the test finds by an update, or by a change.
	drifts := []string{applied, "changed by somebody else: configuration 2"}
	tests := map[bug]struct {
		law   string
		steps []string
		// attributes is how many the configurations have together.
		attributes int
		// says is a part of the report.
		says string
	}{
		unstableIdentity:  {"identity-stable", []string{applied, changed}, 4, "identity.size"},
		lostPrivate:       {"private-kept", []string{applied}, 2, "private data went from 36 bytes to 0 bytes"},
		wrongComputed:     {"read-after-apply", []string{applied}, 2, "size\n    expected: 1\n    came:     0"},
		ignoredDrift:      {"drift-found", drifts, 4, "content\n    expected: \"a\"\n    came:     \"\""},
		driftOfMode:       {"drift-found", drifts, 5, "mode\n    expected: "},
		trimmedContent:    {"apply-keeps-plan", []string{applied}, 2, "content\n    expected: \" \"\n    came:     \"\""},
		forgottenMode:     {"read-after-apply", []string{applied, changed}, 5, "mode\n    expected: "},
		leftFile:          {"destroy-removes", []string{applied}, 2, "says that it exists"},
		unrecordedCreate:  {"failed-apply", []string{"apply, interrupted and then repeated: configuration 1"}, 2, "there is a file of that name"},
		wrongDigest:       {"apply-keeps-plan", []string{applied}, 2, "sha256\n    expected: "},
		importsLower:      {"import-finds", []string{applied, "import"}, 2, `name    = "A"`},
		plansDiffer:       {"plan-deterministic", []string{applied}, 2, "tag\n    expected: "},
		spelledMode:       {"apply-keeps-plan", []string{applied}, 3, "mode\n    expected: "},
		shownSecret:       {"secret-shown", []string{applied}, 3, `the passphrase \"(sensitive)\" is a bad one`},
		planWrites:        {"plan-changes-nothing", []string{applied, changed}, 4, "content\n    expected: "},
		goneIsError:       {"destroy-removes", []string{applied}, 2, "the file cannot be read"},
		goneIsUndeletable: {"destroy-twice", []string{applied}, 2, "the file cannot be removed"},
	}
	for b, want := range tests {
		// One after the other, as the time counts.
		t.Run(string(b), func(t *testing.T) {
			begin := time.Now()
			f := one(t, optionsFor(t, b))
			if took := time.Since(begin); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if f.Law.ID != want.law || fmt.Sprint(f.Steps) != fmt.Sprint(want.steps) || attributesIn(f) > want.attributes {
				t.Errorf("want the law %s after %q with %d attributes, got:\n%s", want.law, want.steps, want.attributes, f)
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
	options.Runs = 400
	if testing.Short() {
		options.Runs = 50
	}
	conformance.Conformance(t, options)
}

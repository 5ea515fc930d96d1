package conformance_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
)

// emptied removes everything in a folder.
func emptied(dir string) func(context.Context) error {
	return func(context.Context) error {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		return os.Mkdir(dir, 0o700)
	}
}

func optionsFor(t *testing.T, b bug) conformance.Options {
	t.Helper()
	dir := t.TempDir() + "/files"
	return conformance.Options{
		Provider: planted(b, dir), Reset: emptied(dir), Seed: 1,
		Types: map[string]conformance.Type{"planted_file": {StateOnly: []string{"passphrase", "labels"}}},
	}
}

func TestPlanted(t *testing.T) {
	for _, b := range []bug{
		noBug, unstableIdentity, lostPrivate, wrongComputed, ignoredDrift, driftOfMode, trimmedContent, forgottenMode, leftFile,
		unrecordedCreate, wrongDigest, importsLower, plansDiffer, spelledMode, shownSecret, planWrites, goneIsError, goneIsUndeletable,
	} {
		t.Run(string(b), func(t *testing.T) {
			begin := time.Now()
			report, err := conformance.Find(t.Context(), optionsFor(t, b))
			t.Log(time.Since(begin), err, report)
			if report != nil {
				for _, f := range report.Findings {
					t.Log(f)
				}
			}
		})
	}
}

func TestCorrect(t *testing.T) {
	options := optionsFor(t, noBug)
	options.Runs = 3000
	begin := time.Now()
	conformance.Conformance(t, options)
	t.Log(time.Since(begin))
}

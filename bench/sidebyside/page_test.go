package sidebyside_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/posixform/terraform-provider-posix/bench/report"
	"github.com/posixform/terraform-provider-posix/bench/sidebyside"
)

// TestPage fails if the page differs from the results.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/side-by-side.md")
	if err != nil {
		t.Fatal(err)
	}
	sections, err := sidebyside.Sections(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		want, err := report.Replace(string(page), s.Name, s.Body)
		if err != nil {
			t.Fatal(err)
		}
		if want != string(page) {
			t.Errorf("section %s of docs/side-by-side.md is stale: run (cd bench && go run ./cmd/sidebyside -write ../docs/side-by-side.md); want:\n%s", s.Name, s.Body)
		}
	}
}

// TestDescriptionsAreTheComments checks that the generated descriptions of package ours are
// up to date.
func TestDescriptionsAreTheComments(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "run", "github.com/posixform/terraform-provider-posix/cmd/describe",
		"-check", "web", "site", "output")
	cmd.Dir = "ours"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("describe -check failed; if the descriptions are stale, run go generate in ours: %v\n%s", err, out)
	}
}

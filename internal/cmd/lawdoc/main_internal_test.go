package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest/conformance"
)

func TestPageIsUpToDate(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "conformance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), page(conformance.Laws())); diff != "" {
		t.Errorf("docs/conformance.md is stale, run: go generate ./acctest/conformance (-committed +generated)\n%s", diff)
	}
}

// TestEachLawIsARow checks that no law contains a vertical bar, which would end its cell.
func TestEachLawIsARow(t *testing.T) {
	t.Parallel()
	for _, l := range conformance.Laws() {
		row := strings.Join([]string{"| `" + l.ID + "`", l.Text, l.Why + " |\n"}, " | ")
		if text := page([]conformance.Law{l}); !strings.HasSuffix(text, "|\n"+row) || strings.Count(row, "|") != 4 {
			t.Errorf("the row of %s is %q, want three cells", l.ID, row)
		}
	}
}

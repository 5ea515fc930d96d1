package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/guard"
)

func TestPageIsUpToDate(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "guard.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), page(guard.Rules())); diff != "" {
		t.Errorf("docs/guard.md is stale, run: go generate ./guard (-committed +generated)\n%s", diff)
	}
}

func TestEachRuleIsOnThePage(t *testing.T) {
	t.Parallel()
	text := page(guard.Rules())
	for _, r := range guard.Rules() {
		if strings.Count(text, "### "+string(r.ID)+": ") != 1 {
			t.Errorf("the page has %d headings of %s, want 1", strings.Count(text, "### "+string(r.ID)+": "), r.ID)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

var root = filepath.Join("..", "..", "..")

func generated(t *testing.T) (provider.GetProviderSchemaResponse, map[string]string) {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	written, err := pages(root, s)
	if err != nil {
		t.Fatal(err)
	}
	return s, written
}

func TestPagesAreUpToDate(t *testing.T) {
	t.Parallel()
	_, written := generated(t)
	committed := map[string]string{}
	for _, pattern := range []string{"index.md", "resources/*"} {
		names, err := filepath.Glob(filepath.Join(root, "docs", filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			page, err := filepath.Rel(filepath.Join(root, "docs"), name)
			if err != nil {
				t.Fatal(err)
			}
			committed[filepath.ToSlash(page)] = string(text)
		}
	}
	if diff := cmp.Diff(committed, written); diff != "" {
		t.Errorf("docs are stale, run: go generate ./resources (-committed +generated)\n%s", diff)
	}
}

func TestEachAttributeIsOnItsPage(t *testing.T) {
	t.Parallel()
	s, written := generated(t)
	if len(s.ResourceTypes) == 0 {
		t.Fatal("the provider has no resource types")
	}
	for name, resource := range s.ResourceTypes {
		page := written["resources/"+strings.TrimPrefix(name, "posix_")+".md"]
		body, identity, _ := strings.Cut(page, "\n## Identity\n")
		for part, attrs := range map[string]map[string]*configschema.Attribute{body: resource.Body.Attributes, identity: resource.Identity.Attributes} {
			for attr, a := range attrs {
				_, line, found := strings.Cut(part, "\n- `"+attr+"` (")
				line, _, _ = strings.Cut(line, "\n- `")
				if !found || a.Description == "" || !strings.Contains(line, a.Description) {
					t.Errorf("%s.%s is not on its page with its description", name, attr)
				}
				if a.WriteOnly != strings.Contains(line, ", Write-only)") {
					t.Errorf("%s.%s: the page is wrong about write-only: %s", name, attr, line)
				}
			}
		}
	}
}

func TestListsAndTraits(t *testing.T) {
	t.Parallel()
	s, _ := generated(t)
	attr := *s.ResourceTypes["posix_file"].Body.Attributes["path"]
	attr.Description, attr.Required = "Words.\n\nMore.", false
	readOnly, optional, required := attr, attr, attr
	readOnly.Computed, readOnly.Sensitive = true, true
	optional.Computed, optional.Optional, optional.WriteOnly, optional.Deprecated = true, true, true, true
	required.Required = true
	got := arguments(map[string]*configschema.Attribute{"a": &readOnly, "b": &optional, "c": &required})
	want := "\n### Required\n\n- `c` (String) Words.\n\n  More.\n" +
		"\n### Optional\n\n- `b` (String, Write-only, Deprecated) Words.\n\n  More.\n" +
		"\n### Read-Only\n\n- `a` (String, Sensitive) Words.\n\n  More.\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What the pages cannot show is refused, not left out.
func TestNestedIsRefused(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]*configschema.Block{
		"attribute": {Attributes: map[string]*configschema.Attribute{"a": {NestedType: &configschema.Object{}}}},
		"block":     {BlockTypes: map[string]*configschema.NestedBlock{"b": {}}},
	} {
		if _, err := top("", "", block, ""); err == nil {
			t.Errorf("a nested %s is silently left out", name)
		}
	}
}

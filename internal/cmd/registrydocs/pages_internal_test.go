package main

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/internal/tier"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

var update = flag.Bool("update", false, "write the pages of testdata instead of comparing them")

var (
	repository = filepath.Join("..", "..", "..")
	tools      = filepath.Join(repository, "tools", "docs")
)

// everyRoot returns a directory with the examples of [every] and the templates
// of this repository, except for the index and the guides.
func everyRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := errors.Join(
		os.CopyFS(filepath.Join(root, "examples"), os.DirFS(filepath.Join("testdata", "every", "examples"))),
		os.CopyFS(filepath.Join(root, "templates"), os.DirFS(filepath.Join(repository, "templates"))),
		os.Remove(filepath.Join(root, "templates", "index.md.tmpl")), // the index page of the posix provider
		os.RemoveAll(filepath.Join(root, "templates", "guides")),     // the guides of the posix provider
	); err != nil {
		t.Fatal(err)
	}
	return root
}

var everyCategories = map[string]string{"thing": "Things", "plain": "Plain things"}

// texts returns the contents of the files below a directory by path.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		found[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir)+"/")] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestPages checks the pages of a type of each kind. "go test -update" updates the
// expected pages.
func TestPages(t *testing.T) {
	t.Parallel()
	tier.CI(t) // make test renders this repository's pages
	root := everyRoot(t)
	// Pages of unknown types are removed; other documents are kept.
	old, guide := filepath.Join(root, "docs", "resources", "gone.md"), filepath.Join(root, "docs", "architecture.md")
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(old), 0o700), os.WriteFile(old, []byte("old"), 0o600), os.WriteFile(guide, []byte("ours"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	if err := generate(t.Context(), tools, root, "every", everyCategories, everySchema()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Stat of the page of an unknown type: error %v, want fs.ErrNotExist", err)
	}
	if text, err := os.ReadFile(guide); err != nil || string(text) != "ours" {
		t.Errorf("docs/architecture.md is %q, error %v, want it unchanged", text, err)
	}
	if err := os.Remove(guide); err != nil {
		t.Fatal(err)
	}
	wanted, got := filepath.Join("testdata", "every", "docs"), filepath.Join(root, "docs")
	if *update {
		if err := errors.Join(os.RemoveAll(wanted), os.CopyFS(wanted, os.DirFS(got))); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(texts(t, wanted), texts(t, got)); diff != "" {
		t.Errorf("pages (-want +got):\n%s", diff)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(t *testing.T, root string, s *provider.GetProviderSchemaResponse)
		want   string
	}{
		"an attribute without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.ResourceTypes["every_thing"].Body.Attributes["size"].Description = " "
		}, "resources/every_thing, size has no description"},
		"a nested attribute without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			nested := s.ResourceTypes["every_thing"].Body.Attributes["nested_map"].NestedType
			nested.Attributes["deep"].NestedType.Attributes["leaf"].Description = ""
		}, "resources/every_thing, nested_map, deep, leaf has no description"},
		"an attribute of a nested block without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.ResourceTypes["every_thing"].Body.BlockTypes["set_block"].BlockTypes["inner"].Attributes["on"].Description = ""
		}, "resources/every_thing, set_block, inner, on has no description"},
		"an attribute of an identity without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.ResourceTypes["every_thing"].Identity.Attributes["zone"].Description = ""
		}, "resources/every_thing, identity, zone has no description"},
		"an action without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.Actions["every_thing"].Body.Description = ""
		}, "actions/every_thing has no description"},
		"a block without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.ResourceTypes["every_thing"].Body.BlockTypes["map_block"].Description = ""
		}, "resources/every_thing, map_block has no description"},
		"an attribute of the provider without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.Provider.Body.Attributes["endpoint"].Description = ""
		}, "the provider, endpoint has no description"},
		"a parameter without a description": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.Functions["join"].VariadicParameter.Description = ""
		}, "functions/join, parameter parts has no description"},
		"a function without a summary": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			f := s.Functions["join"]
			f.Summary = ""
			s.Functions["join"] = f
		}, "functions/join, summary has no description"},
		"a type without an example": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.DataSources["every_new"] = provider.Schema{Body: block("New.", nil)}
		}, filepath.Join("examples", "data-sources", "every_new", "data-source.tf")},
		"a function without an example": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.Functions["new"] = provider.FunctionDecl{Summary: "New.", Description: "New."}
		}, filepath.Join("examples", "functions", "new", "function.tf")},
		"an identity without an import example": {func(t *testing.T, root string, _ *provider.GetProviderSchemaResponse) {
			t.Helper()
			if err := os.Remove(filepath.Join(root, "examples", "resources", "every_thing", "import-by-identity.tf")); err != nil {
				t.Fatal(err)
			}
		}, "import-by-identity.tf"},
		"an example of an unknown type": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.EphemeralResourceTypes = nil
		}, "examples/ephemeral-resources/every_thing is an example of an unknown type"},
		"an example of an unknown function": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			delete(s.Functions, "now")
		}, "examples/functions/now is an example of an unknown type"},
		"a type without a subcategory": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			s.ResourceTypes["every_new"] = provider.Schema{Body: block("New.", nil)}
		}, `resources/every_new has no subcategory: add "new" to the table`},
		"a subcategory of an unknown type": {func(_ *testing.T, _ string, s *provider.GetProviderSchemaResponse) {
			delete(s.ResourceTypes, "every_plain")
		}, `the table of subcategories has "plain", which is not a type of the provider`},
		"a template that cannot be rendered": {func(t *testing.T, root string, _ *provider.GetProviderSchemaResponse) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(root, "templates", "actions.md.tmpl"), []byte("{{ .Nothing }}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, "can't evaluate field Nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, schema := everyRoot(t), everySchema()
			tt.change(t, root, &schema)
			err := generate(t.Context(), tools, root, "every", everyCategories, schema)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestIndex checks that the index page has a link to each type.
func TestIndex(t *testing.T) {
	t.Parallel()
	p, err := resources.New("test")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(repository, "templates", "index.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	schema := p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{})
	for _, f := range families {
		for name := range f.schemas(schema) {
			link := "[`" + name + "`](" + f.dir + "/" + strings.TrimPrefix(name, "posix_") + ".md)"
			if !strings.Contains(string(index), link) {
				t.Errorf("templates/index.md.tmpl does not have the link %s", link)
			}
		}
	}
}

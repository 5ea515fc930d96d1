package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
)

// subcategories has the registry headings of the provider's pages by type name
// without the provider's prefix. Types of the same name share a heading. Functions
// have their own section in registries.
var subcategories = map[string]string{
	"directory":  "Files",
	"file":       "Files",
	"file_block": "Files",
	"symlink":    "Files",
	"tree":       "Files",

	"authorized_key": "Accounts",
	"group":          "Accounts",
	"sudoers":        "Accounts",
	"user":           "Accounts",

	"package":            "Software",
	"package_repository": "Software",
	"packages":           "Software",

	"cron":            "Services",
	"service":         "Services",
	"service_restart": "Services",
	"services":        "Services",
	"systemd_unit":    "Services",

	"host":     "System",
	"hostname": "System",
	"mount":    "System",
	"reboot":   "System",
	"sysctl":   "System",
	"tunnel":   "System",
	"wait":     "System",

	"command": "Commands",
}

// uncategorized returns an error for each type without a subcategory and each
// subcategory without a type.
func uncategorized(providerName string, categories map[string]string, s provider.GetProviderSchemaResponse) error {
	unused := maps.Clone(categories)
	var errs []error
	for _, page := range pagesOf(providerName, s) {
		if categories[page.short] == "" {
			errs = append(errs, fmt.Errorf("%s/%s has no subcategory: add %q to the table in internal/cmd/registrydocs/pages.go", page.dir, page.name, page.short))
		}
		delete(unused, page.short)
	}
	for _, short := range slices.Sorted(maps.Keys(unused)) {
		errs = append(errs, fmt.Errorf("the table of subcategories has %q, which is not a type of the provider: remove the entry", short))
	}
	return errors.Join(errs...)
}

// categorize writes the subcategory of each page into its front matter.
func categorize(root, providerName string, categories map[string]string, s provider.GetProviderSchemaResponse) error {
	const empty = "\nsubcategory: \"\"\n"
	for _, page := range pagesOf(providerName, s) {
		path := filepath.Join(root, "docs", page.dir, page.short+".md")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		before, after, found := strings.Cut(string(text), empty)
		if !found {
			return fmt.Errorf("%s has no empty subcategory in its front matter: add an empty subcategory to the template of the page", path)
		}
		text = fmt.Appendf(nil, "%s\nsubcategory: %q\n%s", before, categories[page.short], after)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page is the page of a type. short is the name of the type without the provider's
// prefix, and the name of the file without its extension.
type page struct{ dir, name, short string }

// pagesOf returns the pages of all types that tfplugindocs writes pages for.
func pagesOf(providerName string, s provider.GetProviderSchemaResponse) []page {
	var pages []page
	for _, f := range families {
		for _, name := range slices.Sorted(maps.Keys(f.schemas(s))) {
			pages = append(pages, page{f.dir, name, strings.TrimPrefix(name, providerName+"_")})
		}
	}
	return pages
}

// family is a kind of type, with the directory of its examples and pages.
type family struct {
	dir     string
	example string // file of the required example
	schemas func(provider.GetProviderSchemaResponse) map[string]provider.Schema
}

var families = []family{
	{"resources", "resource.tf", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.ResourceTypes }},
	{"data-sources", "data-source.tf", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.DataSources }},
	{"ephemeral-resources", "ephemeral-resource.tf", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.EphemeralResourceTypes }},
	{"list-resources", "list-resource.tfquery.hcl", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.ListResourceTypes }},
	{"actions", "action.tf", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.Actions }},
	{"state-stores", "state-store.tf", func(s provider.GetProviderSchemaResponse) map[string]provider.Schema { return s.StateStores }},
}

// imports has the import examples of a resource with an identity.
var imports = []string{"import-by-identity.tf", "import-by-string-id.tf", "import.sh"}

// exampleFaults returns an error for each missing example and each example of
// an unknown type.
func exampleFaults(root string, s provider.GetProviderSchemaResponse) error {
	want := map[string][]string{"provider": {"provider.tf"}}
	for _, f := range families {
		for name, schema := range f.schemas(s) {
			dir := filepath.Join(f.dir, name)
			want[dir] = []string{f.example}
			if schema.Identity != nil && f.dir == "resources" {
				want[dir] = append(want[dir], imports...)
			}
		}
	}
	for name := range s.Functions {
		want[filepath.Join("functions", name)] = []string{"function.tf"}
	}
	var errs []error
	for _, dir := range slices.Sorted(maps.Keys(want)) {
		for _, file := range want[dir] {
			if _, err := os.Stat(filepath.Join(root, "examples", dir, file)); err != nil {
				errs = append(errs, fmt.Errorf("missing example: %w", err))
			}
		}
	}
	for _, f := range append([]family{{dir: "functions"}}, families...) {
		entries, err := os.ReadDir(filepath.Join(root, "examples", f.dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, entry := range entries {
			if want[filepath.Join(f.dir, entry.Name())] == nil {
				errs = append(errs, fmt.Errorf("examples/%s/%s is an example of an unknown type", f.dir, entry.Name()))
			}
		}
	}
	return errors.Join(errs...)
}

// schemasOf returns the schemas of the provider and of its types by title.
func schemasOf(s provider.GetProviderSchemaResponse) map[string]provider.Schema {
	all := map[string]provider.Schema{"the provider": s.Provider}
	for _, f := range families {
		for name, schema := range f.schemas(s) {
			all[f.dir+"/"+name] = schema
		}
	}
	return all
}

// undescribed returns an error for each part of the schema that has no description.
func undescribed(s provider.GetProviderSchemaResponse) error {
	var errs []error
	check := func(what, description string) {
		if strings.TrimSpace(description) == "" {
			errs = append(errs, fmt.Errorf("%s has no description: add a doc comment, and list its struct or function in the go:generate line of cmd/describe", what))
		}
	}
	schemas := schemasOf(s)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		schema := schemas[name]
		walkBlock(name, schema.Body, check)
		if schema.Identity != nil {
			walkAttributes(name+", identity", schema.Identity.Attributes, check)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Functions)) {
		f := s.Functions[name]
		check("functions/"+name, f.Description)
		check("functions/"+name+", summary", f.Summary)
		for _, p := range f.AllParameters() {
			check("functions/"+name+", parameter "+p.Name, p.Description)
		}
	}
	return errors.Join(errs...)
}

func walkBlock(path string, b *configschema.Block, check func(what, description string)) {
	check(path, b.Description)
	walkAttributes(path, b.Attributes, check)
	for _, name := range slices.Sorted(maps.Keys(b.BlockTypes)) {
		walkBlock(path+", "+name, &b.BlockTypes[name].Block, check)
	}
}

func walkAttributes(path string, attrs map[string]*configschema.Attribute, check func(what, description string)) {
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		check(path+", "+name, attrs[name].Description)
		if nested := attrs[name].NestedType; nested != nil {
			walkAttributes(path+", "+name, nested.Attributes, check)
		}
	}
}

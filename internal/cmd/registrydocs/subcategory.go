package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/provider"
)

// subcategories has the registry headings of the provider's pages by type name.
// Types of the same name share a heading. Functions have their own section in
// registries.
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
			errs = append(errs, fmt.Errorf("%s/%s has no subcategory: add %q to the table in internal/cmd/registrydocs/subcategory.go", page.dir, page.name, page.short))
		}
		delete(unused, page.short)
	}
	for _, short := range slices.Sorted(maps.Keys(unused)) {
		errs = append(errs, fmt.Errorf("the table of subcategories has %q, which is not a type of the provider", short))
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
			return fmt.Errorf("%s has no empty subcategory in its front matter: its template must", path)
		}
		text = fmt.Appendf(nil, "%s\nsubcategory: %q\n%s", before, categories[page.short], after)
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page is the page of a type. Short is its name without the provider's, which is
// the name of its file.
type page struct{ dir, name, short string }

// pagesOf returns the pages of all types that tfplugindocs writes pages of.
func pagesOf(providerName string, s provider.GetProviderSchemaResponse) []page {
	var pages []page
	for _, f := range families {
		for _, name := range slices.Sorted(maps.Keys(f.schemas(s))) {
			pages = append(pages, page{f.dir, name, strings.TrimPrefix(name, providerName+"_")})
		}
	}
	return pages
}

package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/posixform/terraform-provider-posix/provider"
)

// family is a kind of type, with the directories of its examples and pages.
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
	for _, dir := range append([]string{"functions"}, directories()...) {
		entries, err := os.ReadDir(filepath.Join(root, "examples", dir))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, entry := range entries {
			if want[filepath.Join(dir, entry.Name())] == nil {
				errs = append(errs, fmt.Errorf("examples/%s/%s is an example of an unknown type", dir, entry.Name()))
			}
		}
	}
	return errors.Join(errs...)
}

func directories() []string {
	all := make([]string, 0, len(families))
	for _, f := range families {
		all = append(all, f.dir)
	}
	return all
}

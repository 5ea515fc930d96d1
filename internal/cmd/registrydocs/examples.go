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

// family is one kind of type: where tfplugindocs looks for its examples and
// puts its pages.
type family struct {
	folder  string
	example string // the file that each type must have an example in
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

// imports are the examples of a resource that has an identity.
var imports = []string{"import-by-identity.tf", "import-by-string-id.tf", "import.sh"}

// exampleFaults says which examples are missing, and which are of nothing.
func exampleFaults(root string, s provider.GetProviderSchemaResponse) error {
	want := map[string][]string{"provider": {"provider.tf"}}
	for _, f := range families {
		for name, schema := range f.schemas(s) {
			folder := filepath.Join(f.folder, name)
			want[folder] = []string{f.example}
			if schema.Identity != nil && f.folder == "resources" {
				want[folder] = append(want[folder], imports...)
			}
		}
	}
	for name := range s.Functions {
		want[filepath.Join("functions", name)] = []string{"function.tf"}
	}
	var errs []error
	for _, folder := range slices.Sorted(maps.Keys(want)) {
		for _, file := range want[folder] {
			if _, err := os.Stat(filepath.Join(root, "examples", folder, file)); err != nil {
				errs = append(errs, fmt.Errorf("an example for its page is missing: %w", err))
			}
		}
	}
	for _, folder := range append([]string{"functions"}, folders()...) {
		entries, err := os.ReadDir(filepath.Join(root, "examples", folder))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, entry := range entries {
			if want[filepath.Join(folder, entry.Name())] == nil {
				errs = append(errs, fmt.Errorf("examples/%s/%s is an example of nothing that the provider has", folder, entry.Name()))
			}
		}
	}
	return errors.Join(errs...)
}

func folders() []string {
	all := make([]string, 0, len(families))
	for _, f := range families {
		all = append(all, f.folder)
	}
	return all
}

package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	tfjson "github.com/hashicorp/terraform-json"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// TestSchemaJSON compares the JSON with that of OpenTofu or Terraform for the
// same provider, except for the deprecation messages of attributes and blocks, which tfjson lacks,
// and for parts that OpenTofu does not print.
func TestSchemaJSON(t *testing.T) {
	acctest.NeedsCLI(t)
	for name, build := range map[string]func() (provider.Interface, error){
		"every": func() (provider.Interface, error) { return every{}, nil },
		"posix": func() (provider.Interface, error) { return resources.New("test") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := acctest.NewServedWorkdir(t, name, build)
			out, err := w.Command(t.Context(), "providers", "schema", "-json").Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, w.Run("providers", "schema", "-json").Output)
			}
			p, err := build()
			if err != nil {
				t.Fatal(err)
			}
			schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
			var theirs tfjson.ProviderSchemas
			if err := json.Unmarshal(out, &theirs); err != nil {
				t.Fatal(err)
			}
			want, got := tree(t, &theirs), tree(t, converter{}.document(w.RegistryHost()+"/"+acctest.Namespace+"/"+name, schema))
			onlyTerraform(t, want, got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("schema (-%s +registrydocs):\n%s", w.RegistryHost(), diff)
			}
		})
	}
}

// TestOverridesAreShort checks that a setting that the provider and its hosts have in common is
// described once on the page of the provider.
func TestOverridesAreShort(t *testing.T) {
	t.Parallel()
	p, err := resources.New("test")
	if err != nil {
		t.Fatal(err)
	}
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	block := converter{forPages: true}.document("posix", schema).Schemas["posix"].ConfigSchema.Block
	hosts := block.Attributes["hosts"].AttributeNestedType.Attributes
	for name, overrides := range map[string]bool{"port": true, "host_key_policy": true, "address": false, "host_key": false, "sudo": false} {
		if got := hosts[name].Description == "Overrides `"+name+"` of the provider."; got != overrides {
			t.Errorf("%s of a host is described as %q, want an override: %t", name, hosts[name].Description, overrides)
		}
	}
	if text := block.Attributes["port"].Description; !strings.HasPrefix(text, "SSH port.") {
		t.Errorf("port of the provider is described as %q, want a text that begins with %q", text, "SSH port.")
	}
}

// tree returns the decoded JSON of a document.
func tree(t *testing.T, document any) map[string]any {
	t.Helper()
	var parsed map[string]any
	text, err := json.Marshal(document)
	if err := errors.Join(err, json.Unmarshal(text, &parsed)); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	return parsed
}

// onlyTerraform removes from got the parts that OpenTofu does not print, unless want has
// them.
func onlyTerraform(t *testing.T, want, got map[string]any) {
	t.Helper()
	inside := func(parent any, key string) map[string]any {
		m, _ := parent.(map[string]any)
		m, _ = m[key].(map[string]any)
		return m
	}
	for address := range inside(got, "provider_schemas") {
		theirs, ours := inside(inside(want, "provider_schemas"), address), inside(inside(got, "provider_schemas"), address)
		for _, key := range []string{"list_resource_schemas", "action_schemas", "state_store_schemas"} {
			if theirs[key] == nil {
				delete(ours, key)
			}
		}
		for name := range inside(ours, "functions") {
			if inside(inside(theirs, "functions"), name)["deprecation_message"] == nil {
				delete(inside(inside(ours, "functions"), name), "deprecation_message")
			}
		}
	}
}

// TestSchemaUnchanged compares the schema, without its descriptions, with the one
// recorded in resources/testdata. Configurations and states depend on it: a change
// is recorded with -update, and named in the changelog.
func TestSchemaUnchanged(t *testing.T) {
	t.Parallel()
	p, err := resources.New("test")
	if err != nil {
		t.Fatal(err)
	}
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	got := tree(t, converter{}.document("posix", schema))
	removeDescriptions(got)
	golden := filepath.Join(repository, "resources", "testdata", "schema.json")
	if *update {
		text, err := json.MarshalIndent(got, "", " ")
		if err := errors.Join(err, os.WriteFile(golden, append(text, '\n'), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, json.RawMessage(want)), got); diff != "" {
		t.Errorf("schema (-recorded +now):\n%s\nIf the change is intended, run go test ./internal/cmd/registrydocs -run TestSchemaUnchanged -update, and describe the change in CHANGELOG.md.", diff)
	}
}

// removeDescriptions deletes the texts of a schema document. It keeps attributes with
// the same names, whose values are objects.
func removeDescriptions(node any) {
	switch node := node.(type) {
	case map[string]any:
		maps.DeleteFunc(node, func(key string, value any) bool {
			_, isText := value.(string)
			return isText && slices.Contains([]string{"description", "description_kind", "deprecation_message", "summary"}, key)
		})
		for _, child := range node {
			removeDescriptions(child)
		}
	case []any:
		for _, child := range node {
			removeDescriptions(child)
		}
	}
}

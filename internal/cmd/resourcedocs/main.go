package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

func main() {
	root := flag.String("root", ".", "the repository: examples are read there, docs written")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "resourcedocs:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	s, err := schema()
	if err != nil {
		return err
	}
	written, err := pages(root, s)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(root, "docs", "resources"), 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(written)) {
		if err := os.WriteFile(filepath.Join(root, "docs", name), []byte(written[name]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func schema() (provider.GetProviderSchemaResponse, error) {
	p, err := resources.New("docs")
	if err != nil {
		return provider.GetProviderSchemaResponse{}, err
	}
	s := p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{})
	return s, s.Diagnostics.Err()
}

// pages are the documents by their path below docs.
func pages(root string, s provider.GetProviderSchemaResponse) (map[string]string, error) {
	example, err := os.ReadFile(filepath.Join(root, "examples", "provider", "provider.tf"))
	if err != nil {
		return nil, err
	}
	body, err := top("posix Provider", "posix Provider", s.Provider.Body, string(example))
	if err != nil {
		return nil, err
	}
	if len(s.Provider.Body.Attributes) == 0 {
		body += "The provider has no arguments.\n"
	}
	body += arguments(s.Provider.Body.Attributes) + "\n## Resources\n\n"
	written := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.ResourceTypes)) {
		page := "resources/" + strings.TrimPrefix(name, "posix_") + ".md"
		body += "- [`" + name + "`](" + page + ")\n"
		if written[page], err = resource(root, name, s.ResourceTypes[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	written["index.md"] = body
	return written, nil
}

var imported = regexp.MustCompile(`resource "(\w+)" "(\w+)" \{\n +path += "([^"$]+)"`)

func resource(root, name string, s provider.Schema) (string, error) {
	example, err := os.ReadFile(filepath.Join(root, "examples", "resources", name, "resource.tf"))
	if err != nil {
		return "", err
	}
	text, err := top(name+" Resource - posix", name+" (Resource)", s.Body, string(example))
	if err != nil {
		return "", err
	}
	m := imported.FindStringSubmatch(string(example))
	if len(m) == 0 || m[1] != name {
		return "", errors.New("the first resource of the example has no path, as first argument, to import")
	}
	text += strings.TrimPrefix(arguments(s.Body.Attributes), "\n")
	text += "\n## Identity\n" + arguments(s.Identity.Attributes) + "\n## Import\n"
	const block = "\n```terraform\nimport {\n  to = %s.%s\n  %s\n}\n```\n"
	text += "\nBy identity; without `host` it is the provider's default host:\n"
	text += fmt.Sprintf(block, name, m[2], fmt.Sprintf("identity = {\n    path = %q\n  }", m[3]))
	text += "\nBy id, which is the path, as `" + m[3] + "`, or the host and the path, as `local:" + m[3] + "`:\n"
	text += fmt.Sprintf(block, name, m[2], fmt.Sprintf("id = %q", m[3]))
	return text + fmt.Sprintf("\nBy id on the command line:\n\n```shell\nterraform import %s.%s %s\n```\n", name, m[2], m[3]), nil
}

// top is a page up to the list of its arguments.
func top(title, heading string, b *configschema.Block, example string) (string, error) {
	for name, attr := range b.Attributes {
		if attr.NestedType != nil {
			return "", fmt.Errorf("attribute %s is nested, which has no form here yet", name)
		}
	}
	if len(b.BlockTypes) > 0 {
		return "", errors.New("nested blocks have no form here yet")
	}
	summary, _, _ := strings.Cut(b.Description, "\n")
	const layout = "---\n# Written by internal/cmd/resourcedocs. Do not edit; run: go generate ./resources\n" +
		"page_title: %q\nsubcategory: \"\"\ndescription: |-\n  %s\n---\n\n# %s\n\n%s\n\n## Example Usage\n\n```terraform\n%s```\n\n## Schema\n\n"
	return fmt.Sprintf(layout, title, summary, heading, b.Description, example), nil
}

// arguments are three lists; what is both optional and computed is optional.
func arguments(attrs map[string]*configschema.Attribute) string {
	lists := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(attrs)) {
		a := attrs[name]
		traits := strings.ToUpper(a.Type.FriendlyName()[:1]) + a.Type.FriendlyName()[1:]
		traits += map[bool]string{a.Sensitive: ", Sensitive"}[true]
		traits += map[bool]string{a.WriteOnly: ", Write-only"}[true]
		traits += map[bool]string{a.Deprecated: ", Deprecated"}[true]
		list := map[bool]string{a.Required: "Required", a.Optional: "Optional"}[true]
		if list == "" {
			list = "Read-Only"
		}
		lists[list] += "- `" + name + "` (" + traits + ") " + strings.ReplaceAll(a.Description, "\n\n", "\n\n  ") + "\n"
	}
	var text strings.Builder
	for _, list := range []string{"Required", "Optional", "Read-Only"} {
		if lists[list] != "" {
			text.WriteString("\n### " + list + "\n\n" + lists[list])
		}
	}
	return text.String()
}

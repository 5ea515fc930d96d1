package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

func main() {
	root := flag.String("root", ".", "directory of the repository, with templates, examples and docs")
	flag.Parse()
	if err := run(context.Background(), *root); err != nil {
		fmt.Fprintln(os.Stderr, "registrydocs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root string) error {
	p, err := resources.New("docs")
	if err != nil {
		return err
	}
	schema := p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{})
	if err := schema.Diagnostics.Err(); err != nil {
		return err
	}
	return generate(ctx, filepath.Join(root, "tools", "docs"), root, "posix", subcategories, schema)
}

// generate writes the pages of the provider with this name into root/docs. tools
// is the module that pins tfplugindocs; categories has the subcategory of each
// type by its name without the provider's prefix. If a description, an example or a
// subcategory is missing, generate returns an error and writes nothing.
func generate(ctx context.Context, tools, root, name string, categories map[string]string, schema provider.GetProviderSchemaResponse) (err error) {
	if err := errors.Join(undescribed(schema), exampleFaults(root, schema), uncategorized(name, categories, schema)); err != nil {
		return err
	}
	root, err = filepath.Abs(root)
	if err != nil {
		return err
	}
	document, err := json.Marshal(converter{forPages: true}.document(name, schema))
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "registrydocs-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	file := filepath.Join(scratch, "schema.json")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "tfplugindocs", "generate",
		"--provider-dir", root, "--provider-name", name, "--providers-schema", file)
	cmd.Dir = tools
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("tfplugindocs: %w\n%s", err, out)
	}
	return categorize(root, name, categories, schema)
}

package resources_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/examples/authoring/zone"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// fenced matches a block of HCL in a document.
var fenced = regexp.MustCompile("(?ms)^ *```(?:terraform|hcl)\\b[^\n]*\n(.*?)\n *```$")

// notValidated matches blocks of HCL that TestGuide of examples/authoring runs, configurations of the
// Terraform CLI, types of other providers, and state stores, which the engine does not support.
var notValidated = regexp.MustCompile("(?m)^```hcl (apply|plan|refuse|\\S+\\.tf)$|^provider_installation |^resource \"null_resource\"|^  state_store ")

// TestDocuments validates each HCL block of README.md and of the documents below docs, unless notValidated matches
// the block, together with the declarations in the other blocks of the same document. The pages of types have only
// examples, which other tests run.
func TestDocuments(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	for _, root := range []string{"../README.md", "../docs"} {
		resourcetest.Must(t, filepath.WalkDir(root, func(at string, _ fs.DirEntry, err error) error {
			if _, ofType := pageExamples[filepath.Base(filepath.Dir(at))]; err != nil || ofType || filepath.Ext(at) != ".md" {
				return err
			}
			text, err := os.ReadFile(at)
			for _, problem := range v.problems(t, string(text)) {
				t.Errorf("%s: %s", at, problem)
			}
			return err
		}))
	}
	if v.validated < 15 {
		t.Errorf("only %d blocks were validated, want at least 15", v.validated)
	}
}

// TestDocumentErrors checks that TestDocuments detects errors.
func TestDocumentErrors(t *testing.T) {
	t.Parallel()
	v := newValidator(t)
	for block, want := range map[string]string{
		"resource \"posix_file\" \"x\" {\n  pth = \"/x\"\n}":                          `"pth"`,
		"output \"x\" {\n  value = posix_file.x.path\n}":                              "posix_file",
		"provider \"posix\" {\n  hosts = { a = { sudo = { usr = \"b\" } } }\n}":       `"usr"`,
		"provider \"posix\" {\n  hosts = { for a in [\"a\"] : a => { addr = a } }\n}": `"addr"`,
	} {
		if got := strings.Join(v.problems(t, "```terraform\n"+block+"\n```\n"), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s has the problems %q, want %s", block, got, want)
		}
	}
}

// validator validates documents with the rules of Terraform.
type validator struct {
	engine    *engine.Engine
	schemas   provider.GetProviderSchemaResponse
	validated int
}

func newValidator(t *testing.T) *validator {
	t.Helper()
	posix := addrs.Provider{Hostname: addrs.TerraformRegistry, Namespace: acctest.Namespace, Type: "posix"}
	guide := posix
	guide.Type = "zone" // the provider of docs/authoring.md
	e := engine.New(engine.Options{Flavor: engine.Terraform, Providers: map[addrs.Provider]engine.Factory{
		posix: func(context.Context) (provider.Interface, error) { return newProvider() },
		guide: func(context.Context) (provider.Interface, error) { return zone.New() },
	}})
	return &validator{engine: e, schemas: e.Schemas(t.Context())[posix]}
}

// problems returns the errors in the blocks of a document, and counts the validated blocks.
func (v *validator) problems(t *testing.T, text string) (problems []string) {
	t.Helper()
	var sources []string
	var bodies []*hclsyntax.Body
	for _, at := range fenced.FindAllStringSubmatchIndex(text, -1) {
		if notValidated.MatchString(text[at[0]:at[1]]) {
			continue
		}
		source := strings.Repeat("\n", strings.Count(text[:at[2]], "\n")) + text[at[2]:at[3]] // errors have the lines of the document
		file, diags := hclsyntax.ParseConfig([]byte(source), "document.tf", hcl.InitialPos)
		if diags.HasErrors() {
			problems = append(problems, diags.Error())
			continue
		}
		sources, bodies = append(sources, source), append(bodies, file.Body.(*hclsyntax.Body)) //nolint:forcetypeassert // as ParseConfig documents
	}
	for i, body := range bodies {
		name, rest, declared := "document.tf", "", map[string]bool{}
		for _, b := range body.Blocks {
			declared[b.Type+fmt.Sprint(b.Labels)] = true
			problems = append(problems, v.ignoredNames(b)...)
			if b.Type == "list" {
				name = "document.tfquery.hcl"
			}
		}
		for j, other := range bodies {
			for _, b := range other.Blocks {
				if key := b.Type + fmt.Sprint(b.Labels); len(b.Labels) > 0 && b.Type != "list" && !declared[key] {
					declared[key] = true
					rest += string(b.Range().SliceBytes([]byte(sources[j]))) + "\n"
				}
			}
		}
		config, diags := configs.Load(documentFiles{configs.Files{name: []byte(sources[i]), "rest.tf": []byte(rest)}}, ".",
			configs.Options{Terraform: true, Query: true, Namespace: acctest.Namespace})
		if diags.HasErrors() {
			problems = append(problems, diags.Error())
		} else if invalid := v.engine.Validate(t.Context(), config); invalid.HasErrors() {
			problems = append(problems, invalid.Error())
		}
		v.validated++
	}
	return problems
}

// documentFiles are the files of a configuration. Its templates are in examples/readme.
type documentFiles struct{ configs.Files }

func (documentFiles) Base() string { return examples + "/readme" }

// ignoredNames returns an error text for each name in the nested attributes of a provider or resource block that
// [ignoredIn] finds. Terraform and OpenTofu ignore these names.
func (v *validator) ignoredNames(b *hclsyntax.Block) (names []string) {
	var body *configschema.Block
	switch b.Type {
	case "provider":
		body = v.schemas.Provider.Body
	case "resource":
		body = v.schemas.ResourceTypes[b.Labels[0]].Body
	}
	for name, attr := range b.Body.Attributes {
		if body != nil && body.Attributes[name] != nil {
			names = append(names, ignoredIn(attr.Expr, body.Attributes[name].NestedType)...)
		}
	}
	return names
}

// ignoredIn returns an error text for each name that an object expression has and the nested type o does not have; a
// nil o has all names. Objects in maps and in for expressions are checked, too; those in other expressions are not.
func ignoredIn(expr hclsyntax.Expression, o *configschema.Object) (names []string) {
	if o == nil {
		return nil
	}
	element := &configschema.Object{Attributes: o.Attributes, Nesting: configschema.NestingSingle}
	switch expr := expr.(type) {
	case *hclsyntax.ForExpr:
		return ignoredIn(expr.ValExpr, element)
	case *hclsyntax.ObjectConsExpr:
		for _, item := range expr.Items {
			name := hcl.ExprAsKeyword(item.KeyExpr)
			switch {
			case o.Nesting == configschema.NestingMap:
				names = append(names, ignoredIn(item.ValueExpr, element)...)
			case o.Attributes[name] == nil:
				names = append(names, fmt.Sprintf("%s: the schema has no %q", item.KeyExpr.Range(), name))
			default:
				names = append(names, ignoredIn(item.ValueExpr, o.Attributes[name].NestedType)...)
			}
		}
	}
	return names
}

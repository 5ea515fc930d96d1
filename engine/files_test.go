package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
)

// TestFilesOfFunctions checks that path.cwd and functions in the root and in child modules use the
// directory of the source, and never the test's directory.
func TestFilesOfFunctions(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for name, content := range map[string]string{
		"site/main.tf": `module "m" { source = "../m" }
output "root" { value = file("${path.module}/text") }
output "child" { value = module.m.text }
output "cwd" { value = path.cwd }`,
		"site/text": "root",
		"m/main.tf": `output "text" { value = file("${path.module}/text") }`,
		"m/text":    "child",
	} {
		name = filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, tt := range map[string]struct {
		source configs.Directory
		dir    string
	}{
		"root of the source":      {configs.Directory(filepath.Join(base, "site")), "."},
		"directory in the source": {configs.Directory(base), "site"},
		"absolute directory":      {configs.Directory(base), filepath.ToSlash(filepath.Join(base, "site"))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, problems := configs.Load(tt.source, tt.dir, configs.Options{})
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			r := newRun(t, engine.Options{})
			plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
			if diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			if r.state, diags = r.engine.Apply(t.Context(), config, plan); diags.HasErrors() {
				t.Fatal(diags.Error())
			}
			for output, want := range map[string]string{"root": "root", "child": "child", "cwd": filepath.ToSlash(string(tt.source))} {
				if got := r.output(output).AsString(); got != want {
					t.Errorf("the output %s is %q, want %q", output, got, want)
				}
			}
		})
	}
}

// TestFilesThatChange checks that only Terraform rejects files that are changed or created after the plan.
func TestFilesThatChange(t *testing.T) {
	t.Parallel()
	for name, expression := range map[string]string{
		"file":         `file("text")`,
		"fileexists":   `fileexists("new")`,
		"fileset":      `fileset(".", "*")`,
		"templatefile": `templatefile("text", {})`,
		"filesha256":   `core::filesha256("text")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			flavors(t, func(t *testing.T, flavor engine.Flavor) {
				base := t.TempDir()
				write := func(name, text string) {
					if err := os.WriteFile(filepath.Join(base, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				write("text", "old")
				write("main.tf", "locals {\n  value = "+expression+"\n}\n") // a planned output is not evaluated again
				config, problems := configs.Load(configs.Directory(base), ".", configs.Options{Terraform: flavor == engine.Terraform})
				if problems.HasErrors() {
					t.Fatal(problems)
				}
				r := newRun(t, engine.Options{Flavor: flavor})
				plan, diags := r.engine.Plan(t.Context(), config, r.state, engine.PlanOptions{})
				if diags.HasErrors() {
					t.Fatal(diags.Error())
				}
				write("text", "changed")
				write("new", "")
				_, diags = r.engine.Apply(t.Context(), config, plan)
				rejected := len(diags) == 1 && diags[0].Summary == "Error in function call"
				if terraform := flavor == engine.Terraform; rejected != terraform || diags.HasErrors() != terraform {
					t.Errorf("the apply has the errors %v, want an error in a function call: %t", diags, terraform)
				}
			})
		})
	}
}

package statefile_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/states"
	"github.com/posixform/terraform-provider-posix/states/statefile"
)

const rootConfig = `
variable "secret" {
  type      = string
  default   = "s3<&>"
  sensitive = true
}
resource "terraform_data" "counted" {
  count = 2
  input = { x = var.secret, l = [var.secret, 1.5, null] }
}
resource "terraform_data" "keyed" {
  for_each = toset(["k", "q\"$${x"])
  input    = terraform_data.counted[0].output
  lifecycle {
    create_before_destroy = true
  }
}
module "child" {
  source = "./child"
  count  = 2
  file   = "DIR/file-${count.index}"
}
resource "terraform_data" "none" {
  count = 0
}
output "secret" {
  value     = var.secret
  sensitive = true
}
output "object" {
  value = { a = 1.5, b = [true, null], c = "é\n" }
}
check "checked" {
  assert {
    condition     = terraform_data.counted[0].id != ""
    error_message = "no id"
  }
}
`

const childConfig = `
terraform {
  required_providers {
    posix = { source = "posixform/posix" }
  }
}
variable "file" {
  type = string
}
resource "posix_file" "it" {
  path    = var.file
  content = "content"
}
data "posix_file" "it" {
  path       = posix_file.it.path
  depends_on = [posix_file.it]
}
output "path" {
  value = data.posix_file.it.path
}
`

// TestAccFilesOfTheCommandLine checks that state files of Terraform or OpenTofu are read and written
// without a change, and that a plan with a file that this package wrote has no changes.
func TestAccFilesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	acctest.NeedsCLI(t)
	program, err := acctest.Build(t.Context(), t.TempDir(), "posix", "github.com/posixform/terraform-provider-posix")
	if err != nil {
		t.Fatal(err)
	}
	w := acctest.NewWorkdir(t, program)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.Dir, "child"), 0o700); err != nil {
		t.Fatal(err)
	}
	w.Write("main.tf", strings.ReplaceAll(rootConfig, "DIR", dir))
	w.Write("child/main.tf", childConfig)
	w.Do(nil, "get") // installs the module; with development overrides, the provider needs no init
	w.Do(nil, "apply", "-auto-approve", "-input=false")

	file, src := reread(t, w)
	for text, want := range map[string]bool{
		`terraform_data.keyed["q\"$${x"]`: true, "module.child[1].posix_file.it": true,
		"module.child[0].data.posix_file.it": true, "terraform_data.counted[2]": false,
	} {
		addr, err := addrs.ParseAbsResourceInstanceStr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := file.State.ResourceInstance(addr).HasCurrent(); got != want {
			t.Errorf("%s is in the state: %t, want %t", text, got, want)
		}
	}
	if current(t, file, "module.child[1].posix_file.it").IdentityJSON == nil {
		t.Errorf("module.child[1].posix_file.it has no identity in %s", src)
	}
	if got := current(t, file, `terraform_data.keyed["k"]`); len(got.Dependencies) != 1 || !got.CreateBeforeDestroy {
		t.Errorf("got dependencies %v and create_before_destroy %t, want one dependency and true, in %s", got.Dependencies, got.CreateBeforeDestroy, src)
	}
	sensitive := current(t, file, "terraform_data.counted[1]").AttrSensitivePaths
	if want := cty.GetAttrPath("input").GetAttr("l").IndexInt(0); len(sensitive) != 2 || !sensitive[0].Equals(want) {
		t.Errorf("got sensitive paths %v, want 2 with %v first, in %s", sensitive, want, src)
	}
	if o := file.State.RootModule().OutputValues["secret"]; o == nil || !o.Sensitive || !o.Value.RawEquals(cty.StringVal("s3<&>")) {
		t.Errorf("output secret is %v, want the sensitive value s3<&>", o)
	}
	if len(file.CheckResults) == 0 {
		t.Errorf("no check results in %s", src)
	}

	// Write a new state with a new lineage. Package states encodes its terraform_data objects.
	data := cty.Object(map[string]cty.Type{
		"id": cty.String, "input": cty.DynamicPseudoType, "output": cty.DynamicPseudoType, "triggers_replace": cty.DynamicPseudoType,
	})
	ours := states.BuildState(func(s *states.SyncState) {
		for _, m := range file.State.Modules {
			for _, r := range m.Resources {
				for key, is := range r.Instances {
					src := is.Current
					if r.Addr.Resource.Type == "terraform_data" {
						obj, err := src.Decode(data, cty.NilType)
						if err != nil {
							t.Fatal(err)
						}
						obj.Private = []byte("private\x00")
						if src, err = obj.Encode(data, 0, 0); err != nil {
							t.Fatal(err)
						}
					}
					s.SetResourceInstanceCurrent(r.Addr.Instance(key), src, r.ProviderConfig)
				}
			}
		}
		for _, o := range file.State.RootModule().OutputValues {
			s.SetOutputValue(o.Addr, o.Value, o.Sensitive)
		}
	})
	write(t, w, statefile.New(ours, statefile.NewLineage(), 7))
	w.Do(nil, "plan", "-detailed-exitcode", "-input=false")

	// Check tainted and deposed objects.
	w.Do(nil, "taint", "terraform_data.counted[1]")
	file, _ = reread(t, w)
	if obj := current(t, file, "terraform_data.counted[1]"); obj.Status != states.ObjectTainted || string(obj.Private) != "private\x00" {
		t.Errorf("the tainted object is %s with the private data %q, want tainted and %q", obj, obj.Private, "private\x00")
	}
	keyed, _ := addrs.ParseAbsResourceInstanceStr(`terraform_data.keyed["k"]`)
	old := file.State.ResourceInstance(keyed).Current
	file.State.RootModule().SetResourceInstanceDeposed(keyed.Resource, "0badc0de", old, addrs.AbsProviderConfig{Provider: addrs.BuiltIn})
	file.Serial++
	write(t, w, file)
	out := w.Do([]int{2}, "plan", "-detailed-exitcode", "-input=false", "-no-color").Output
	for _, want := range []string{"terraform_data.counted[1] is tainted", "0badc0de", "2 to destroy"} {
		if !strings.Contains(out, want) {
			t.Errorf("the plan lacks %q:\n%s", want, out)
		}
	}
	w.Do(nil, "apply", "-auto-approve", "-input=false")
	if file, _ = reread(t, w); file.State.ResourceInstance(keyed).HasAnyDeposed() {
		t.Error("the deposed object exists after an apply")
	}
	w.Do(nil, "destroy", "-auto-approve", "-input=false")
	if file, src = reread(t, w); !file.State.Empty() {
		t.Errorf("the state after a destroy is %s, want an empty state", src)
	}
}

// reread returns the state in the directory, decoded and as text, and checks that writing it
// produces the same text, apart from white space at its ends.
func reread(t *testing.T, w *acctest.Workdir) (*statefile.File, string) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(w.Dir, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := statefile.Read(bytes.NewReader(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	var out bytes.Buffer
	if err := statefile.Write(file, &out); err != nil {
		t.Fatal(err)
	}
	// OpenTofu ends its files with two newlines.
	if diff := cmp.Diff(strings.TrimSpace(string(src)), strings.TrimSpace(out.String())); diff != "" {
		t.Errorf("the state file written again (-want +got):\n%s", diff)
	}
	return file, string(src)
}

func write(t *testing.T, w *acctest.Workdir, file *statefile.File) {
	t.Helper()
	var out bytes.Buffer
	if err := statefile.Write(file, &out); err != nil {
		t.Fatal(err)
	}
	w.Write("terraform.tfstate", out.String())
}

func current(t *testing.T, file *statefile.File, text string) *states.ResourceInstanceObjectSrc {
	t.Helper()
	addr, err := addrs.ParseAbsResourceInstanceStr(text)
	if err != nil {
		t.Fatal(err)
	}
	is := file.State.ResourceInstance(addr)
	if !is.HasCurrent() {
		t.Fatalf("%s is not in\n%s", text, file.State)
	}
	return is.Current
}

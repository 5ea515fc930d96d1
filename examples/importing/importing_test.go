package importing_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
	"github.com/posixform/terraform-provider-posix/internal/walkthrough"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/states"
)

// hostSetup creates the objects of the host. It uses OpenRC, because the tests run
// in a test root, whose first process is not systemd.
const hostSetup = `mkdir -p /run/openrc && : >/run/openrc/softlevel
groupadd -g 1500 app
useradd -u 1500 -g app -s /bin/sh -m -c 'the application' app
mkdir -m 750 /etc/app
printf 'port = 8080\n' >/etc/app/app.conf
chown -R root:app /etc/app
chmod 640 /etc/app/app.conf
rc-update add cron default
rc-service cron start`

func TestMain(m *testing.M) {
	roottest.Main(m, roottest.Options{Packages: []string{"cron", "openrc"}})
}

func build() (provider.Interface, error) { return resources.New("test") }

// TestImporting lists the objects, and then runs the commands of README.md.
func TestImporting(t *testing.T) {
	roottest.Require(t)
	if out, err := exec.CommandContext(t.Context(), "sh", "-ec", hostSetup).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("query", query)
	t.Run("query of Terraform", terraformQuery)
	t.Run("walk through", walkThrough)
}

func walkThrough(t *testing.T) {
	if cli := acctest.NeedsCLI(t); cli.GuessesImportProvider() {
		t.Skipf("%s does not find the provider of an import block without a resource", cli)
	}
	w := acctest.NewServedWorkdir(t, "posix", build)
	config, err := os.ReadFile("main.tf")
	must(t, err)
	w.Write("main.tf", string(config))
	w.Write("providers.tf", "") // main.tf has the required providers
	walkthrough.Run(t, w, []walkthrough.Step{
		{Line: "tofu plan -generate-config-out=generated.tf", Check: walkthrough.Prints("6 to import, 0 to add, 0 to change, 0 to destroy")},
		{Line: "tofu apply", Check: walkthrough.Prints("6 imported, 0 added, 0 changed, 0 destroyed")},
		{Line: "tofu plan", Check: walkthrough.Prints("No changes")},
		{Line: "usermod -s /bin/false app"},
		{Line: "tofu plan", Check: walkthrough.Prints("posix_user.app", "0 to add, 1 to change, 0 to destroy")},
	})
}

// queryFile is not in the directory of main.tf, because the resources that the import blocks of main.tf
// refer to do not exist in the configuration when Terraform runs a query.
const queryFile = "query/everything.tfquery.hcl"

// query plans the import of all listed objects with their generated configuration. The plan
// must not change any of them.
func query(t *testing.T) {
	text, err := os.ReadFile(queryFile)
	must(t, err)
	p, err := build()
	must(t, err)
	file := hclwrite.NewEmptyFile()
	var names []string
	for label, found := range resourcetest.Query(t, build, string(text)) {
		typeName := map[string]string{
			"people": "posix_user", "teams": "posix_group", "directories": "posix_directory",
			"files": "posix_file", "wanted": "posix_package", "running": "posix_service",
		}[label]
		for i, f := range found {
			name := fmt.Sprintf("%s%d", label, i)
			names = append(names, typeName+" "+nameOf(f.Identity))
			generated := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: typeName, State: f.Object})
			must(t, generated.Diagnostics.Err())
			body := file.Body().AppendNewBlock("resource", []string{typeName, name}).Body()
			for attr := range generated.Config.Type().AttributeTypes() {
				if v := generated.Config.GetAttr(attr); !v.IsNull() {
					body.SetAttributeValue(attr, v)
				}
			}
			block := file.Body().AppendNewBlock("import", nil).Body()
			block.SetAttributeTraversal("to", hcl.Traversal{hcl.TraverseRoot{Name: typeName}, hcl.TraverseAttr{Name: name}})
			block.SetAttributeValue("identity", f.Identity)
		}
	}
	for _, want := range []string{"posix_user app", "posix_group app", "posix_directory /etc/app", "posix_file /etc/app/app.conf", "posix_package cron", "posix_service cron"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among the listed objects %q", want, names)
		}
	}
	plan := planOf(t, string(file.Bytes()))
	imported := 0
	for _, c := range plan.Changes {
		if c.Action != plans.NoOp || c.Importing == nil {
			t.Errorf("%s: got action %s (import %t), want an import without changes\nbefore: %#v\nafter: %#v", c.Addr, c.Action, c.Importing != nil, c.Before, c.After)
		}
		imported++
	}
	if imported != len(names) {
		t.Errorf("the plan has %d changes, want an import of each of %d listed objects", imported, len(names))
	}
}

// terraformQuery imports all listed objects with the configuration that Terraform generates.
func terraformQuery(t *testing.T) {
	if cli := acctest.NeedsCLI(t); cli.Kind != tfcli.Terraform {
		t.Skipf("%s has no list resources; make matrix runs this test with Terraform", cli)
	}
	text, err := os.ReadFile(queryFile)
	must(t, err)
	w := acctest.NewServedWorkdir(t, "posix", build)
	w.Write("everything.tfquery.hcl", string(text))
	main, err := os.ReadFile("query/main.tf")
	must(t, err)
	w.Write("main.tf", string(main))
	w.Write("providers.tf", "") // main.tf has the required providers
	w.Do(nil, "query", "-no-color", "-generate-config-out=generated.tf")
	generated, err := os.ReadFile(filepath.Join(w.Dir, "generated.tf"))
	must(t, err)
	found := strings.Count(string(generated), "\nimport {")
	if found < 6 {
		t.Errorf("%d objects are listed, want at least 6:\n%s", found, generated)
	}
	applied := w.Do(nil, "apply", "-auto-approve", "-no-color")
	walkthrough.Prints(fmt.Sprintf("%d imported, 0 added, 0 changed, 0 destroyed", found))(t, applied.Output)
	w.Do([]int{0}, "plan", "-detailed-exitcode", "-no-color")
}

// nameOf returns the name or the path in an identity, or the Go syntax of an identity that has neither.
func nameOf(identity cty.Value) string {
	for _, attr := range []string{"name", "path"} {
		if identity.Type().HasAttribute(attr) {
			return identity.GetAttr(attr).AsString()
		}
	}
	return identity.GoString()
}

// planOf plans a configuration with an empty state.
func planOf(t *testing.T, config string) *plans.Plan {
	t.Helper()
	const registry = "registry.test"
	config += "terraform {\n  required_providers {\n    posix = {\n      source = \"posixform/posix\"\n    }\n  }\n}\n"
	loaded, diags := configs.Load(configs.Files{"main.tf": []byte(config)}, ".", configs.Options{Hostname: registry})
	if diags.HasErrors() {
		t.Fatalf("%v\n%s", diags, config)
	}
	addr, err := addrs.ParseProviderSourceString("posixform/posix", registry)
	must(t, err)
	e := engine.New(engine.Options{Providers: map[addrs.Provider]engine.Factory{
		addr: func(context.Context) (provider.Interface, error) { return build() },
	}})
	plan, planned := e.Plan(t.Context(), loaded, states.NewState(), engine.PlanOptions{})
	must(t, planned.Err())
	return plan
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

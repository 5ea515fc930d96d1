package faulttest_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/roottest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
)

// interruptedLists are the list resources, each with a program that it runs on the host.
var interruptedLists = map[string]struct{ arguments, runs string }{
	"posix_directory": {`path = "/etc"`, "find"},
	"posix_file":      {`path = "/etc"`, "find"},
	"posix_group":     {"", "awk"},
	"posix_package":   {"", "dpkg-query"},
	"posix_service":   {"", "systemctl"},
	"posix_user":      {"", "awk"},
}

// hangingProgram is a program that does not end. It has a child process.
const hangingProgram = "#!/bin/sh\n>/run/hanging\nsh -c 'while :; do sleep 1; done' 'child of the query'\n"

// TestInterruptedQueriesOfTerraform interrupts Terraform while it queries each list resource over
// SSH. Terraform fails and generates no configuration, the provider ends, and no process is left on
// the host. The next query succeeds.
func TestInterruptedQueriesOfTerraform(t *testing.T) {
	if cli := acctest.NeedsCLI(t); !cli.HasQueries() {
		t.Skipf("%s has no list resources; make matrix runs this test with Terraform", cli)
	}
	all := providerSchema(t).ListResourceTypes
	if diff := cmp.Diff(slices.Sorted(maps.Keys(all)), slices.Sorted(maps.Keys(interruptedLists))); diff != "" {
		t.Errorf("list resources (-provider +test):\n%s", diff)
	}
	root := roottest.Start(t, resourcetest.Systemd[0])
	program := resourcetest.NewProgram(t)
	w := acctest.NewWorkdir(t, program)
	w.Write("main.tf", overSSH(root.Host(t)))
	generated := filepath.Join(w.Dir, "generated.tf")
	query := []string{"query", "-no-color", "-var=v=1", "-generate-config-out=generated.tf"}
	for typeName, list := range interruptedLists {
		t.Run(typeName, func(t *testing.T) {
			hanging := "/usr/local/bin/" + list.runs
			root.Run(t, "sh", "-c", `rm -f /run/hanging; printf %s "$1" >"$2"; chmod 755 "$2"`, "sh", hangingProgram, hanging)
			w.Write("all.tfquery.hcl", "list \""+typeName+"\" \"all\" {\n  provider = posix\n  config {\n    "+list.arguments+"\n  }\n}\n")
			result := resourcetest.Interrupt(t, w, func() bool {
				return root.Run(t, "sh", "-c", "[ ! -e /run/hanging ] || echo yes") != ""
			}, query...)
			if running := resourcetest.Running(program); running != nil {
				t.Errorf("the provider is still running: %s", running)
			}
			want := "Cannot list " + typeName
			if result.Code != 1 || !resourcetest.WrappedText(want).MatchString(result.Output) {
				t.Errorf("exit code %d, want 1 and the error %q:\n%s", result.Code, want, result.Output)
			}
			if text, err := os.ReadFile(generated); err == nil {
				t.Errorf("Terraform generated a configuration, want none:\n%s", text)
				resourcetest.Must(t, os.Remove(generated))
			}
			// The processes on the host may end later than Terraform.
			left := func() string {
				return root.Run(t, "sh", "-c", "grep -la '[c]hild of the query' /proc/[0-9]*/cmdline 2>/dev/null || :")
			}
			for end := time.Now().Add(10 * time.Second); left() != "" && time.Now().Before(end); {
				time.Sleep(20 * time.Millisecond)
			}
			if processes := left(); processes != "" {
				t.Errorf("child processes of the query are still running on the host: %s", processes)
			}
			root.Run(t, "rm", hanging)
			w.Do(nil, query...)
			resourcetest.Must(t, os.RemoveAll(generated)) // exists only if the query found something
		})
	}
}

// providerSchema returns the schemas of a new provider. It fails the test if the response has errors.
func providerSchema(t *testing.T) provider.GetProviderSchemaResponse {
	t.Helper()
	p, err := resources.New("test")
	resourcetest.Must(t, err)
	schema := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
	resourcetest.Must(t, schema.Diagnostics.Err())
	return schema
}

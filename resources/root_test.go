package resources_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// TestWithoutRoot checks that the plan of an object that only root can manage fails if the provider
// runs as another user.
func TestWithoutRoot(t *testing.T) {
	t.Parallel()
	for typeName, arguments := range map[string]string{
		"cron":               "name = \"a\"\n  schedule = \"@daily\"\n  user = \"root\"\n  command = \"true\"",
		"hostname":           `name = "a"`,
		"mount":              "path = \"/mnt\"\n  source = \"/dev/sdb1\"\n  type = \"ext4\"",
		"package":            `name = "a"`,
		"package_repository": "name = \"a\"\n  manager = \"dnf\"\n  uris = [\"https://packages.example.com\"]\n  trusted = true",
		"sudoers":            "name = \"a\"\n  content = \"\"",
		"sysctl":             "key = \"a.b\"\n  value = \"1\"",
		"systemd_unit":       "name = \"a.service\"\n  content = \"[Unit]\"",
	} {
		t.Run(typeName, func(t *testing.T) {
			t.Parallel()
			var queried atomic.Bool
			p := func() (provider.Interface, error) {
				var queries atomic.Int64 // of this provider: each engine has a provider of its own
				return resources.Build(func() (host.Host, error) {
					return memory.New(memory.Config{Name: host.LocalName, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
						if !remotecmd.IsRootQuery(cmd) {
							return host.Result{ExitCode: 127}, nil
						}
						queried.Store(true)
						if queries.Add(1) > 2 { // both resources may send the query at the same time
							t.Error("the provider sends more than two queries for the user on the host, want at most two")
						}
						_, err := io.WriteString(cmd.Stdout, "1000\n")
						return host.Result{}, err
					}}), nil
				})
			}
			text := ""
			for i := range 2 {
				text += fmt.Sprintf("resource \"posix_%s\" \"it%d\" {\n  %s\n}\n", typeName, i, arguments)
			}
			resourcetest.Fails(t, p, text, true, "can only be managed by root: run Terraform as root")
			if !queried.Load() {
				t.Error("the provider sends no query for the user on the host, want at least one query")
			}
		})
	}
}

package resources_test

import (
	"context"
	"io"
	"maps"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// TestMissingOnHost checks that the plan of a create fails for what the host lacks, unless
// the same run may provide it.
func TestMissingOnHost(t *testing.T) {
	t.Parallel()
	const user, command = "posix_user", "posix_command"
	for name, tt := range map[string]struct {
		typeName string
		set      resourcetest.Attrs // in addition to the minimal arguments
		want     string
		provider string // type of a resource that may provide what is missing
	}{
		"user of a cron job": {"posix_cron", resourcetest.Attrs{"user": str("a")}, `host local has no user "a". Create it first`, user},
		"user of a key":      {"posix_authorized_key", resourcetest.Attrs{"user": str("a")}, `cannot manage authorized keys of "a" on host local: the user does not exist`, user},
		"service manager":    {"posix_service", nil, "host local has neither systemd nor OpenRC", command},
		"systemd":            {"posix_systemd_unit", nil, "host local does not have systemd: /etc/systemd/system/ does not exist. Install systemd first", command},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := func() *resourcetest.Object {
				made, err := resources.Build(func() (host.Host, error) {
					return memory.New(memory.Config{Name: host.LocalName, Users: []host.User{{Name: "root"}}, Run: func(_ context.Context, cmd host.Command) (host.Result, error) {
						if remotecmd.IsRootQuery(cmd) {
							_, err := io.WriteString(cmd.Stdout, "0\n")
							return host.Result{}, err
						}
						return host.Result{}, nil
					}}), nil
				})
				resourcetest.Must(t, err)
				resourcetest.Configure(t, made)
				return resourcetest.NewObject(t, made, tt.typeName)
			}
			set := resourcetest.Attrs{}
			for _, more := range []resourcetest.Attrs{minimalArguments[tt.typeName], tt.set} {
				maps.Copy(set, more)
			}
			o := p()
			resourcetest.WantError(t, o.Plan(set).Diagnostics, "", tt.want)
			o = p()
			first := resourcetest.NewObject(t, o.Provider, tt.provider)
			resourcetest.NoErrors(t, first.Plan(minimalArguments[tt.provider]).Diagnostics)
			resourcetest.NoErrors(t, o.Plan(set).Diagnostics)
		})
	}
}

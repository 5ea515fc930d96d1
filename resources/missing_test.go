package resources_test

import (
	"context"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/resources"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// TestMissingOnHost checks that the plan of a create warns about what the host lacks, but not about
// a user that the same run creates.
func TestMissingOnHost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typeName  string
		set       resourcetest.Attrs // in addition to the minimal arguments
		attribute string
		want      string
	}{
		"user of a cron job": {"posix_cron", resourcetest.Attrs{"user": str("a")}, "user", `host local has no user "a". Create it first`},
		"user of a key":      {"posix_authorized_key", resourcetest.Attrs{"user": str("a")}, "user", `cannot manage authorized keys of "a" on host local: the user does not exist`},
		"service manager":    {"posix_service", nil, "host", "host local has neither systemd nor OpenRC"},
		"systemd":            {"posix_systemd_unit", nil, "host", "host local does not have systemd: /etc/systemd/system/ does not exist. Install systemd first"},
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
			diags := o.Plan(set).Diagnostics
			if len(diags) != 1 || diags[0].Severity != diag.Warning || diag.FormatPath(diags[0].Path) != tt.attribute ||
				!strings.Contains(diags[0].Detail, tt.want) || !strings.Contains(diags[0].Detail, "Unless something provides it first") {
				t.Errorf("the plan has %v, want one warning about %s with %q", diags, tt.attribute, tt.want)
			}
			if tt.attribute != "user" {
				return
			}
			o = p()
			user := resourcetest.NewObject(t, o.Provider, "posix_user")
			resourcetest.NoErrors(t, user.Plan(minimalArguments["posix_user"]).Diagnostics)
			if diags := o.Plan(set).Diagnostics; len(diags) > 0 {
				t.Errorf("the plan has %v, want no diagnostics, because the same run creates the user", diags)
			}
		})
	}
}

// TestOwnerWithUnknowns checks that the plan of a file succeeds although its owner or group does not exist yet, if the
// same run creates or may create that account with an argument that is unknown during the plan.
func TestOwnerWithUnknowns(t *testing.T) {
	t.Parallel()
	unknown := cty.UnknownVal(cty.String)
	for name, tt := range map[string]struct {
		typeName  string
		set       resourcetest.Attrs
		attribute string // of the file
	}{
		"user":                      {"posix_user", resourcetest.Attrs{"name": str("a"), "comment": unknown}, "owner"},
		"user with an unknown name": {"posix_user", resourcetest.Attrs{"name": unknown}, "owner"},
		"group":                     {"posix_group", resourcetest.Attrs{"name": str("a"), "gid": cty.UnknownVal(cty.Number)}, "group"},
		"group of the user":         {"posix_user", resourcetest.Attrs{"name": str("a"), "comment": unknown}, "group"},
		"package":                   {"posix_package", resourcetest.Attrs{"name": unknown}, "owner"},
		"command":                   {"posix_command", resourcetest.Attrs{"create": unknown}, "owner"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := resourcetest.Configured(t, func() (provider.Interface, error) {
				return resources.Build(func() (host.Host, error) { return memory.New(memory.Config{Name: host.LocalName}), nil })
			})
			set := resourcetest.Attrs{"path": str("/a"), "content": str("x"), tt.attribute: str("a")}
			file := resourcetest.NewObject(t, p, "posix_file")
			resourcetest.WantError(t, file.Plan(set).Diagnostics, tt.attribute, "Create it first")
			resourcetest.NoErrors(t, resourcetest.NewObject(t, p, tt.typeName).Plan(tt.set).Diagnostics)
			resourcetest.NoErrors(t, file.Plan(set).Diagnostics)
		})
	}
}

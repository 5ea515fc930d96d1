package packages_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// distributionHost is a host on which the script that detects the package manager prints detected.
type distributionHost struct {
	host.Host
	detected string
}

func (h distributionHost) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	if !strings.Contains(strings.Join(remotecmd.Program(cmd), " "), "os-release") {
		return h.Host.Run(ctx, cmd)
	}
	_, err := io.WriteString(cmd.Stdout, h.detected)
	return host.Result{}, err
}

// TestRepositoryWithOthers checks that a file with other repositories is neither adopted nor
// imported, even if it has the configured one too. If they were added to a managed file, the plan
// shows them.
func TestRepositoryWithOthers(t *testing.T) {
	t.Parallel()
	const aptPath, dnfPath = "/etc/apt/sources.list.d/it.sources", "/etc/yum.repos.d/it.repo"
	const debian, fedora = "= debian\n+ apt-get\n", "= fedora\n+ dnf\n"
	apt, dnf := repositoryOf("apt", "a", ""), repositoryOf("dnf", "a", "")
	apt["suites"] = cty.ListVal([]cty.Value{cty.StringVal("./")})
	for name, tt := range map[string]struct {
		detected    string
		set         resourcetest.Attrs
		path        address.Path
		own, others string // the configured repository in the file, and the text after it
		want        string
	}{
		"paragraph": {
			debian, apt, aptPath, "Types: deb\nURIs: https://a.example.com\nSuites: ./\n",
			"# security\n\n \nTypes: deb\nURIs: https://user:secret@b.example.com\nSuites: stable-security stable-updates\nComponents: main\n\nTypes: deb-src\n", `"stable-security stable-updates", paragraph 3. `,
		},
		"sections": {
			fedora, dnf, dnfPath, "[it]\nname=it\nbaseurl=https://a.example.com\nenabled=1\ngpgcheck=1\n",
			"\n[it-debuginfo]\nname=x\n\n[it-source]\nenabled=0\n", `"[it-debuginfo]", "[it-source]". `,
		},
		"only others": {fedora, dnf, dnfPath, "", "[it-stable]\nname=x\n", `"[it-stable]". `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := distributionHost{resourcetest.NewRootHost(t, tt.path.String()), tt.detected}
			write := func(text string) { resourcetest.WriteOn(t, h, tt.path.String(), text) }
			o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package_repository")
			want := tt.path.String() + " on host local has other repositories: " + tt.want
			plan := o.Plan(tt.set)
			resourcetest.NoErrors(t, plan.Diagnostics)
			write(tt.own + tt.others)
			resourcetest.WantError(t, o.ApplyPlan(tt.set, plan), "name", "Object already exists", want)
			resourcetest.WantError(t, o.Plan(tt.set).Diagnostics, "name", "Object already exists", want)
			resourcetest.WantError(t, o.Import("it", cty.NilVal), "", want, "Move the others to files of their own")
			wantContent(t, h, tt.path, tt.own+tt.others)
			if tt.own == "" {
				return
			}

			write(tt.own)
			resourcetest.NoErrors(t, o.Import("it", cty.NilVal))
			o.Forget()
			o.NextRun()
			o.Apply(tt.set) // adopts the repository
			write(tt.own + tt.others)
			o.Refresh()
			o.Changes(tt.set, "content")
			o.Apply(tt.set)
			wantContent(t, h, tt.path, tt.own)
		})
	}
}

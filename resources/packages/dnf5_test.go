package packages_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// fakeDnf5 simulates a host with dnf 5, which cannot run in the root of these tests. Its
// repository has two versions of nginx. Like dnf 5, it fails for arguments that it does not
// support, among them some of dnf 4 and, like dnf 5 before 5.4.3, the argument --.
type fakeDnf5 struct {
	installed map[string]string // versions by name
	locked    map[string]string
	explicit  []string // the packages that were marked as explicitly installed
	refreshed int      // how often the index was updated
}

var (
	dnf5Versions = []string{"1.24.0-1", "1.26.0-1"}

	// dnf5Options has, by command, the options that fakeDnf5 supports, including the aliases of dnf 5 for
	// options of dnf 4. The empty command has the options that all commands support.
	dnf5Options = map[string][]string{
		"": {"-y", "-q", "-C", "--refresh", "--disablerepo", "--enablerepo", "--setopt"}, "install": nil, "makecache": nil, "mark user": nil,
		"remove": {"--noautoremove"}, "repoquery": {"--available", "--qf"}, "versionlock add": nil, "versionlock delete": nil,
	}
)

func (d *fakeDnf5) run(_ context.Context, cmd host.Command) (host.Result, error) {
	if remotecmd.IsDetachedWait(cmd) {
		return host.Result{}, nil
	}
	args := remotecmd.Program(cmd)
	line := strings.Join(args, " ")
	out, errOut, code := "", "", 0
	switch {
	case line == "id -u":
		out = "0\n"
	case strings.Contains(line, "os-release"):
		out = "= fedora\n+ dnf\n"
	case strings.Contains(line, "rpm -qa"):
		for _, name := range slices.Sorted(maps.Keys(d.installed)) {
			out += name + "\t" + d.installed[name] + "\t1\n"
		}
		out += "=\nversion = \"1.0\"\n"
		for name, version := range d.locked {
			out += fmt.Sprintf("[[packages]]\nname = %q\n[[packages.conditions]]\nkey = \"evr\"\ncomparator = \"=\"\nvalue = %q\n", name, version)
		}
	case strings.HasPrefix(line, "rpm -e --test "):
	case args[0] == "dnf":
		if out, errOut = d.dnf(args[1:]); errOut != "" {
			code = 2
		}
	default:
		return host.Result{}, fmt.Errorf("unexpected command %s", line)
	}
	if _, err := io.WriteString(cmd.Stdout, out); err != nil {
		return host.Result{}, err
	}
	_, err := io.WriteString(cmd.Stderr, errOut)
	return host.Result{ExitCode: code}, err
}

// dnf runs a command of dnf, and returns its output, or the message about an unsupported argument.
func (d *fakeDnf5) dnf(args []string) (out, errOut string) {
	command := ""
	var words []string
	for len(args) > 0 {
		arg, _, _ := strings.Cut(args[0], "=")
		args = args[1:]
		switch _, is := dnf5Options[strings.TrimSpace(command+" "+arg)]; {
		case slices.Contains(slices.Concat(dnf5Options[""], dnf5Options[command]), arg):
			if arg == "--qf" {
				args = args[1:] // its value
			}
		case is || command == "" && (arg == "mark" || arg == "versionlock"):
			command = strings.TrimSpace(command + " " + arg)
		case strings.HasPrefix(arg, "-") || command == "mark":
			return "", fmt.Sprintf("Unknown argument %q for command %q. Add \"--help\" for more information about the arguments.\n", arg, command)
		default:
			words = append(words, arg)
		}
	}
	if command == "makecache" {
		d.refreshed++
	}
	for _, word := range words {
		name, version, exact := strings.Cut(word, "-")
		switch command {
		case "repoquery":
			for _, version := range dnf5Versions {
				out += name + "\t" + version + "\n"
			}
		case "install":
			if !exact {
				version = dnf5Versions[len(dnf5Versions)-1]
			}
			d.installed[name] = version
		case "mark user":
			d.explicit = append(d.explicit, name)
		case "versionlock add":
			d.locked[name] = version
		case "versionlock delete":
			delete(d.locked, name)
		case "remove":
			delete(d.installed, name)
		}
	}
	return out, ""
}

// TestLifeWithDnf5 creates, changes, removes and adopts a package with dnf 5, and adds a repository.
func TestLifeWithDnf5(t *testing.T) {
	t.Parallel()
	d := &fakeDnf5{installed: map[string]string{}, locked: map[string]string{}}
	h := memory.New(memory.Config{Name: host.LocalName, Run: d.run})
	o := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_package")
	nginx := func(version string, hold bool) resourcetest.Attrs {
		return resourcetest.Attrs{"name": cty.StringVal("nginx"), "version": cty.StringVal(version), "hold": cty.BoolVal(hold)}
	}
	want := func(version, locked string) {
		t.Helper()
		if d.installed["nginx"] != version || d.locked["nginx"] != locked {
			t.Errorf("installed %q, locked %q, want %q and %q", d.installed["nginx"], d.locked["nginx"], version, locked)
		}
	}
	if plan := o.Apply(nginx("1.24.*", true)); len(plan.Diagnostics) > 0 {
		t.Errorf("the plan has the diagnostics %v, want none", plan.Diagnostics) // the provider warns if it does not find the package
	}
	want("1.24.0-1", "1.24.0-1")
	o.Apply(nginx("1.26.0-1", true))
	want("1.26.0-1", "1.26.0-1")
	resourcetest.NoErrors(t, o.Destroy())
	want("", "")

	d.installed["nginx"] = "1.24.0-1"
	o.NextRun()
	o.Apply(nginx("1.24.*", false))
	if !slices.Equal(d.explicit, []string{"nginx"}) {
		t.Errorf("the packages %q were marked, want nginx", d.explicit)
	}

	resourcetest.NewObject(t, o.Provider, "posix_package_repository").Apply(repositoryOf("dnf", "a", ""))
	if d.refreshed != 1 {
		t.Errorf("the index was updated %d times, want once", d.refreshed)
	}
}

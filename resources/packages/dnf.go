package packages

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// dnf is the package manager of Fedora, Red Hat Enterprise Linux and their derivatives, in version
// 4 or 5.
type dnf struct{}

// dnfCall returns a call of dnf that does not prompt. dnf waits for other processes that use it.
// Except in markExplicit, the arguments must be supported by dnf 4 and 5. No -- precedes names, because
// dnf 5 does not support it before 5.4.3; names do not start with a dash (see [checkName]).
func dnfCall(args ...string) remotecmd.Call {
	return remotecmd.Call{Args: append([]string{"dnf", "-y", "-q"}, args...)}
}

// inventory queries rpm and reads the locks of versionlock, a plugin of dnf 4 and a command of dnf 5.
func (dnf) inventory(ctx context.Context, h host.Host) (inventory, error) {
	r, err := remotecmd.Shell(`rpm -qa --qf '%{NAME}\t%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\t%{INSTALLTIME}\n' || exit
echo =
cat /etc/dnf/plugins/versionlock.list /etc/dnf/versionlock.toml 2>/dev/null; :`).Run(ctx, h)
	if err != nil {
		return nil, withProgram(h, "rpm", err)
	}
	return parseRPM(r.Stdout), nil
}

// parseRPM parses a line for each package, with its name, version and installation time, and, after a
// line with =, the locks. If several versions of a package are installed, it returns the one
// that was installed last.
func parseRPM(output string) inventory {
	rows, locks, _ := strings.Cut(output, "\n=\n")
	found, times := inventory{}, map[string]int64{}
	for _, line := range lines(rows) {
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] == "" || f[0] == "gpg-pubkey" {
			continue
		}
		at, err := strconv.ParseInt(f[2], 10, 64)
		if _, twice := found[f[0]]; err != nil || twice && at < times[f[0]] {
			continue
		}
		found[f[0]], times[f[0]] = packageState{name: f[0], version: withoutZeroEpoch(f[1])}, at
	}
	for _, name := range parseLocks(locks, found) {
		it := found[name]
		it.held = true
		found[name] = it
	}
	return found
}

// withoutZeroEpoch returns a version as dnf prints it: rpm also prints the epoch 0 of a package that sets it.
func withoutZeroEpoch(version string) string { return strings.TrimPrefix(version, "0:") }

// parseLocks returns the names of the installed packages that are locked. A lock is a line such as
// name-0:1.2-3.*, or a TOML table without conditions or with a version as a condition. A line with an
// exclamation mark, or a condition with a comparator other than =, permits several versions and is not a hold.
func parseLocks(locks string, all inventory) []string {
	var names []string
	add := func(name string) {
		if _, there := all[name]; there {
			names = append(names, name)
		}
	}
	list, tables, _ := strings.Cut(locks, "[[packages]]")
	for _, line := range lines(list) {
		line = strings.TrimSpace(line)
		if i := strings.LastIndexByte(line, '-'); i > 0 && !strings.HasPrefix(line, "#") {
			line = line[:i] // without the release, and then without the version
			line = line[:max(strings.LastIndexByte(line, '-'), 0)]
		}
		add(line)
	}
	for table := range strings.SplitSeq(tables, "[[packages]]") {
		parts := strings.Split(table, "[[packages.conditions]]")
		if len(parts) == 1 || slices.ContainsFunc(parts[1:], isVersion) {
			add(lockValues(parts[0])["name"])
		}
	}
	return names
}

// isVersion reports whether a condition of a lock requires exactly one version of the package.
func isVersion(condition string) bool {
	values := lockValues(condition)
	return values["key"] == "evr" && values["comparator"] == "="
}

// lockString matches a line of a lock that sets a key to a string.
var lockString = regexp.MustCompile(`(?m)^\s*(\w+)\s*=\s*["']([^"']*)["']`)

// lockValues returns the strings in a TOML table of a lock by their keys.
func lockValues(table string) map[string]string {
	values := map[string]string{}
	for _, match := range lockString.FindAllStringSubmatch(table, -1) {
		values[match[1]] = match[2]
	}
	return values
}

// available only reads dnf's cache, so that a plan does not wait for servers. repoquery returns
// all versions; dnf 5 does not support --showduplicates.
func (d dnf) available(ctx context.Context, h host.Host, names []string) (map[string][]string, error) {
	r, err := dnfCall(append([]string{"-C", "repoquery", "--available", "--qf", `%{name}\t%{evr}\n`}, names...)...).Run(ctx, h)
	if remotecmd.FailedWith(err, 1) {
		return map[string][]string{}, nil // no cache yet
	}
	return parseRepoquery(r.Stdout), err
}

func parseRepoquery(output string) map[string][]string {
	found := map[string][]string{}
	for _, line := range lines(output) {
		name, version, _ := strings.Cut(line, "\t")
		if version = withoutZeroEpoch(version); name != "" && version != "" {
			found[name] = append(found[name], version)
		}
	}
	for name, versions := range found {
		found[name] = newestFirst(versions, compareVersions)
	}
	return found
}

func (d dnf) providers(ctx context.Context, h host.Host, name string) ([]string, error) {
	r, err := dnfCall("-C", "repoquery", "--qf", `%{name}\n`, "--whatprovides", name).Run(ctx, h)
	if remotecmd.FailedWith(err, 1) {
		return nil, nil
	}
	return unique(lines(r.Stdout)), err
}

func (d dnf) explicit(ctx context.Context, h host.Host) ([]string, error) {
	r, err := dnfCall("-C", "repoquery", "--userinstalled", "--qf", `%{name}\n`).Run(ctx, h)
	return unique(lines(r.Stdout)), err
}

func (d dnf) install(ctx context.Context, h host.Host, candidates []candidate) error {
	args := []string{"install"}
	for _, p := range candidates {
		if p.version != "" {
			p.name += "-" + p.version
		}
		args = append(args, p.name)
	}
	_, err := dnfCall(args...).RunDetached(ctx, h)
	return err
}

// markExplicit runs dnf mark with the subcommand install of dnf 4. If dnf exits with 2, because it
// does not support this subcommand, it is dnf 5, and markExplicit uses the subcommand user.
func (d dnf) markExplicit(ctx context.Context, h host.Host, packages []packageState) error {
	_, err := dnfCall(append([]string{"mark", "install"}, packageNames(packages)...)...).RunDetached(ctx, h)
	if remotecmd.FailedWith(err, 2) {
		_, err = dnfCall(append([]string{"mark", "user"}, packageNames(packages)...)...).RunDetached(ctx, h)
	}
	return err
}

// dependents runs rpm again with the dependents found so far until rpm reports no others: it
// only reports direct dependents. After a killed upgrade, several versions of a package may be
// installed, which rpm rejects without --allmatches.
func (dnf) dependents(ctx context.Context, h host.Host, names []string) ([]string, error) {
	var others []string
	for {
		_, err := remotecmd.Run(ctx, h, slices.Concat([]string{"rpm", "-e", "--test", "--allmatches", "--"}, names, others)...)
		failed, is := errors.AsType[*remotecmd.Failed](err)
		if !is {
			return others, err
		}
		more := unique(slices.Concat(others, rpmNeeds(failed.Stderr)))
		if len(more) == len(others) {
			return nil, err
		}
		others = more
	}
}

func (dnf) remove(ctx context.Context, h host.Host, names []string, _ bool) error {
	_, err := dnfCall(append([]string{"remove", "--noautoremove"}, names...)...).RunDetached(ctx, h)
	return err
}

// rpmNeeds returns the names of the packages that require one of the packages to remove.
func rpmNeeds(output string) []string {
	var others []string
	for _, line := range lines(output) {
		_, by, _ := strings.Cut(line, " is needed by (installed) ")
		if f := strings.Split(by, "-"); len(f) > 2 { // name-version-release.architecture
			others = append(others, strings.Join(f[:len(f)-2], "-"))
		}
	}
	return unique(others)
}

func (d dnf) hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error {
	h := scope.Host
	args := []string{"versionlock", "delete"}
	if held {
		args[1] = "add"
	}
	for _, p := range packages {
		if held {
			p.name += "-" + p.version
		}
		args = append(args, p.name)
	}
	_, err := dnfCall(args...).RunDetached(ctx, h)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && strings.Contains(failed.Stderr, "dnf-command(versionlock)") {
		return fmt.Errorf("host %s cannot hold packages: dnf has no versionlock plugin. Install it, for example with a posix_package python3-dnf-plugin-versionlock that this resource depends on", h.Name())
	}
	return err
}

func (d dnf) refresh(ctx context.Context, h host.Host) error {
	_, err := dnfCall("makecache", "--refresh").Run(ctx, h)
	return err
}

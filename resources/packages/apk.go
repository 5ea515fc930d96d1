package packages

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// apk is the package manager of Alpine. A package is held if /etc/apk/world, the list of
// explicitly installed packages, requires exactly the installed version.
type apk struct{}

// apkCall returns a call of apk that waits for other processes that use it.
func apkCall(args ...string) remotecmd.Call {
	return remotecmd.Call{Args: append([]string{"apk", "--no-progress", "--wait", "600"}, args...)}
}

func (apk) inventory(ctx context.Context, h host.Host) (inventory, error) {
	r, err := remotecmd.Shell(`apk info -v && echo = && cat /etc/apk/world`).Run(ctx, h)
	if err != nil {
		return nil, withProgram(h, "apk", err)
	}
	return parseAPK(r.Stdout), nil
}

// apkVersion matches a name and a version. The only dash in a version is before the release.
var apkVersion = regexp.MustCompile(`^(.+)-([0-9][^-\s]*-r[0-9]+)$`)

// parseAPK parses packages with their versions and, after a line with =, the world file.
func parseAPK(output string) inventory {
	rows, world, _ := strings.Cut("\n"+output, "\n=\n")
	found := inventory{}
	for _, line := range lines(rows) {
		if m := apkVersion.FindStringSubmatch(line); m != nil {
			found[m[1]] = packageState{name: m[1], version: m[2]}
		}
	}
	for want := range strings.FieldsSeq(world) {
		if it, there := found[worldName(want)]; there {
			rest := want[len(it.name):] // [@tag][=version]; operators other than = are possible
			tag := rest
			if i := strings.IndexAny(rest, "=<>~"); i >= 0 {
				tag = rest[:i]
			}
			it.explicit, it.tag, it.held = true, tag, rest[len(tag):] == "="+it.version
			found[it.name] = it
		}
	}
	return found
}

func (a apk) available(ctx context.Context, h host.Host, names []string) (map[string][]string, error) {
	r, err := remotecmd.Call{Args: append([]string{"apk", "policy"}, names...), Answers: []int{1}}.Run(ctx, h)
	if err != nil {
		return nil, err
	}
	return parsePolicy(r.Stdout), nil
}

// parsePolicy parses the output of apk policy: for each package a heading, below it a
// line with a colon for each version, and below that the sources of the version. Versions
// that are only in the database of installed packages are left out. Versions of repositories
// with a tag count only if no repository without a tag has the package: apk selects them only by the tag.
func parsePolicy(output string) map[string][]string {
	found, tagged := map[string][]string{}, map[string][]string{}
	name, version := "", ""
	for _, line := range lines(output) {
		bare := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, " "):
			name, _ = strings.CutSuffix(bare, " policy:")
			version = ""
		case strings.HasSuffix(bare, ":"):
			version = strings.TrimSuffix(bare, ":")
		case name == "" || version == "" || strings.Contains(bare, "apk/db/installed"):
		case strings.HasPrefix(bare, "@"):
			tagged[name] = append(tagged[name], version)
		default:
			found[name] = append(found[name], version)
		}
	}
	for name, versions := range tagged {
		if found[name] == nil {
			found[name] = versions
		}
	}
	for name, versions := range found {
		found[name] = newestFirst(versions, compareAPK)
	}
	return found
}

func (a apk) providers(ctx context.Context, h host.Host, name string) ([]string, error) {
	r, err := remotecmd.Call{Args: []string{"apk", "search", "-x", "-q", "--", name}, Answers: []int{1}}.Run(ctx, h)
	found := unique(lines(r.Stdout))
	return slices.DeleteFunc(found, func(n string) bool { return n == name }), err
}

func (apk) explicit(ctx context.Context, h host.Host) ([]string, error) {
	r, err := remotecmd.Run(ctx, h, "cat", "/etc/apk/world")
	var names []string
	for want := range strings.FieldsSeq(r.Stdout) {
		if name := worldName(want); name != "" {
			names = append(names, name)
		}
	}
	return names, err
}

// worldName returns the package name of an entry of the world file, without version and
// repository. It returns an empty string for an entry that excludes a package.
func worldName(want string) string {
	if strings.HasPrefix(want, "!") {
		return ""
	}
	if i := strings.IndexAny(want, "=<>~@"); i >= 0 {
		return want[:i]
	}
	return want
}

// addVersionsScript adds packages to the world file, first with their versions. It then adds them without versions,
// so that they are not held; this does not change installed packages. The parameters are names, which may be followed
// by an equals sign and a version.
const addVersionsScript = `apk --no-progress --wait 600 add -- "$@" || exit
for want in "$@"; do
	shift
	set -- "$@" "${want%%=*}"
done
exec apk --no-progress --wait 600 add -- "$@"`

// install adds packages to the world file without versions. If versions are requested, one script adds and removes them:
// with two calls, a provider that is killed between them would leave packages on hold, which the next create does not adopt.
func (a apk) install(ctx context.Context, h host.Host, candidates []candidate) error {
	var wanted []string
	versions := false
	for _, p := range candidates {
		if p.version != "" {
			p.name += "=" + p.version
			versions = true
		}
		wanted = append(wanted, p.name)
	}
	if !versions {
		return a.add(ctx, h, wanted)
	}
	_, err := remotecmd.Shell(addVersionsScript, wanted...).RunDetached(ctx, h)
	return remotecmd.OfProgram(err, apkCall(append([]string{"add", "--"}, wanted...)...).Args)
}

func (a apk) add(ctx context.Context, h host.Host, wanted []string) error {
	_, err := apkCall(append([]string{"add", "--"}, wanted...)...).RunDetached(ctx, h)
	return err
}

// markExplicit adds packages to the world file, except those that it already has.
func (a apk) markExplicit(ctx context.Context, h host.Host, packages []packageState) error {
	others := slices.DeleteFunc(slices.Clone(packages), func(p packageState) bool { return p.explicit })
	if len(others) == 0 {
		return nil
	}
	return a.add(ctx, h, packageNames(others))
}

// dependents returns the packages of the world file that require names and, with an older apk, the packages
// that link the former to names in the dependency tree. If only packages outside of the world file require names, it
// returns nil: remove removes those packages as well.
func (apk) dependents(ctx context.Context, h host.Host, names []string) ([]string, error) {
	r, err := apkCall(append([]string{"--simulate", "del", "--"}, names...)...).Run(ctx, h)
	return apkNeeds(r.Stdout + "\n" + r.Stderr), err
}

// remove removes packages from the world file. apk does not fail if packages that stay in
// the world file require the removed ones: it reports that these stay installed.
func (apk) remove(ctx context.Context, h host.Host, names []string, _ bool) error {
	_, err := apkCall(append([]string{"del", "--"}, names...)...).RunDetached(ctx, h)
	return err
}

// apkNeeds returns the packages that require one of the packages to remove.
func apkNeeds(output string) []string {
	_, after, stays := strings.Cut(output, "not removed due to:\n")
	if !stays {
		return nil
	}
	var others []string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		if _, by, begins := strings.Cut(line, ": "); begins { // lines without a colon continue the list
			line = by
		}
		others = append(others, strings.Fields(line)...)
	}
	return unique(others)
}

func (a apk) hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error {
	h := scope.Host
	var names []string
	for _, p := range packages {
		p.name += p.tag // without it, apk removes the tag from the world file
		if held {
			p.name += "=" + p.version
		}
		names = append(names, p.name)
	}
	err := a.add(ctx, h, names)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && held {
		return fmt.Errorf("%w. apk can only hold a version that its repositories have", failed)
	}
	return err
}

func (apk) refresh(ctx context.Context, h host.Host) error {
	_, err := apkCall("update").Run(ctx, h)
	return err
}

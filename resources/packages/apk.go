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

// apk is the manager of Alpine. A package is held where /etc/apk/world, the list of
// those that were asked for, has its version.
type apk struct{}

func (apk) run(ctx context.Context, h host.Host, args ...string) (remotecmd.Result, error) {
	return remotecmd.Run(ctx, h, append([]string{"apk", "--no-progress", "--wait", "600"}, args...)...)
}

func (apk) stock(ctx context.Context, h host.Host) (stock, error) {
	r, err := remotecmd.Shell(`apk info -v && echo = && cat /etc/apk/world`).Run(ctx, h)
	if err != nil {
		return nil, named(h, "apk", err)
	}
	return parseAPK(r.Stdout), nil
}

// apkVersion is a name and a version; versions have one dash, before the release.
var apkVersion = regexp.MustCompile(`^(.+)-([0-9][^-\s]*-r[0-9]+)$`)

// parseAPK reads names with their versions, and after a line with = the world.
func parseAPK(said string) stock {
	rows, world, _ := strings.Cut("\n"+said, "\n=\n")
	found := stock{}
	for _, line := range lines(rows) {
		if m := apkVersion.FindStringSubmatch(line); m != nil {
			found[m[1]] = installed{name: m[1], version: m[2]}
		}
	}
	for want := range strings.FieldsSeq(world) {
		if it, there := found[worldName(want)]; there {
			version, _, _ := strings.Cut(want[len(it.name):], "@")
			it.asked, it.held = true, version == "="+it.version
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

// parsePolicy reads a heading for each package, below it a line with a colon for
// each version, and below that where it comes from: the installed one from the
// database of what is installed, which is no place to have it from.
func parsePolicy(said string) map[string][]string {
	found := map[string][]string{}
	name, version := "", ""
	for _, line := range lines(said) {
		bare := strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, " "):
			name, _ = strings.CutSuffix(bare, " policy:")
			version = ""
		case strings.HasSuffix(bare, ":"):
			version = strings.TrimSuffix(bare, ":")
		case name != "" && version != "" && !strings.Contains(bare, "apk/db/installed") && !slices.Contains(found[name], version):
			found[name] = append(found[name], version)
		}
	}
	for name, versions := range found {
		found[name] = newestFirst(versions)
	}
	return found
}

func (a apk) providers(ctx context.Context, h host.Host, name string) ([]string, error) {
	r, err := remotecmd.Call{Args: []string{"apk", "search", "-x", "-q", "--", name}, Answers: []int{1}}.Run(ctx, h)
	found := unique(lines(r.Stdout))
	return slices.DeleteFunc(found, func(n string) bool { return n == name }), err
}

func (apk) asked(ctx context.Context, h host.Host) ([]string, error) {
	r, err := remotecmd.Run(ctx, h, "cat", "/etc/apk/world")
	var names []string
	for want := range strings.FieldsSeq(r.Stdout) {
		if name := worldName(want); name != "" {
			names = append(names, name)
		}
	}
	return names, err
}

// worldName is the name of what is asked for, without its versions and its
// repository; empty of what is not to be there.
func worldName(want string) string {
	if strings.HasPrefix(want, "!") {
		return ""
	}
	if i := strings.IndexAny(want, "=<>~@"); i >= 0 {
		return want[:i]
	}
	return want
}

// install adds to the world what is asked for: a version first, which would hold
// it, and then the name alone, which changes nothing of what is there.
func (a apk) install(ctx context.Context, h host.Host, picks []pick) error {
	var exact, bare []string
	for _, p := range picks {
		bare = append(bare, p.name)
		if p.version != "" {
			p.name += "=" + p.version
		}
		exact = append(exact, p.name)
	}
	if err := a.add(ctx, h, exact); err != nil || slices.Equal(exact, bare) {
		return err
	}
	return a.add(ctx, h, bare)
}

func (a apk) add(ctx context.Context, h host.Host, wanted []string) error {
	_, err := a.run(ctx, h, append([]string{"add", "--"}, wanted...)...)
	return err
}

// keep leaves what was asked for as it was asked for, as with its version.
func (a apk) keep(ctx context.Context, h host.Host, packages []installed) error {
	others := slices.DeleteFunc(slices.Clone(packages), func(p installed) bool { return p.asked })
	if len(others) == 0 {
		return nil
	}
	return a.add(ctx, h, namesOf(others))
}

// remove takes packages from the world. Those that others need stay there, which
// apk says and does not fail for.
func (a apk) remove(ctx context.Context, h host.Host, names []string, _ bool) error {
	r, err := a.run(ctx, h, append([]string{"--simulate", "del", "--"}, names...)...)
	if err == nil {
		if others := apkNeeds(r.Stdout + "\n" + r.Stderr); len(others) > 0 {
			return needed(h, names, others)
		}
		_, err = a.run(ctx, h, append([]string{"del", "--"}, names...)...)
	}
	return err
}

// apkNeeds are the packages for which others stay.
func apkNeeds(said string) []string {
	_, after, stays := strings.Cut(said, "not removed due to:\n")
	if !stays {
		return nil
	}
	var others []string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		if _, by, begins := strings.Cut(line, ": "); begins { // else the list goes on
			line = by
		}
		others = append(others, strings.Fields(line)...)
	}
	return unique(others)
}

func (a apk) hold(ctx context.Context, scope *lifecycle.Scope, packages []installed, held bool) error {
	h := scope.Host
	var names []string
	for _, p := range packages {
		if held {
			p.name += "=" + p.version
		}
		names = append(names, p.name)
	}
	err := a.add(ctx, h, names)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		return fmt.Errorf("%w. apk holds only a version that its repositories have", failed)
	}
	return err
}

func (a apk) refresh(ctx context.Context, h host.Host) error {
	_, err := a.run(ctx, h, "update")
	return err
}

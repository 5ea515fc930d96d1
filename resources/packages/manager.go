package packages

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// manager is one of the programs that install packages. Its calls never ask a
// person anything, and wait for others who use the same program.
type manager interface {
	// stock is what is installed, in one call.
	stock(ctx context.Context, h host.Host) (stock, error)
	// available are the versions of these packages that the local index has, the
	// newest first, by name. What it does not know is not in it.
	available(ctx context.Context, h host.Host, names []string) (map[string][]string, error)
	// providers are packages that provide what is no package itself.
	providers(ctx context.Context, h host.Host, name string) ([]string, error)
	// asked are the packages that somebody asked for: not those that are there
	// because others need them.
	asked(ctx context.Context, h host.Host) ([]string, error)

	// install installs packages that the index knows, or changes their versions.
	// It removes none.
	install(ctx context.Context, h host.Host, picks []pick) error
	// keep notes of packages that are there that they were asked for.
	keep(ctx context.Context, h host.Host, packages []installed) error
	// remove removes packages, and no other.
	remove(ctx context.Context, h host.Host, names []string, purge bool) error
	// hold has packages keep their version when others are upgraded, or not.
	hold(ctx context.Context, scope *lifecycle.Scope, packages []installed, held bool) error
	// refresh gets the index anew.
	refresh(ctx context.Context, h host.Host) error
}

// stock is what is installed, by name.
type stock map[string]installed

// installed is a package that is there.
type installed struct {
	name, version string
	held          bool
	asked         bool // it is known that it was asked for; only apk tells
	part          part
}

// part says how much of a package is there. The zero value is all of it.
type part int

const (
	_      part = iota
	broken      // its installation has not come to its end
	rest        // it was removed, but for its configuration
)

// namesOf are the names of packages.
func namesOf(packages []installed) []string {
	names := make([]string, len(packages))
	for i, p := range packages {
		names[i] = p.name
	}
	return names
}

// pick is what is to be installed. Without a version it is the one that the
// manager prefers.
type pick struct{ name, version string }

// managers are those that are known.
var managers = map[string]manager{"apt": apt{}, "dnf": dnf{}, "apk": apk{}, "pacman": pacman{}}

// managerNames are their names, in the order in which they are looked for.
var managerNames = []string{"apt", "dnf", "apk", "pacman"}

// managerRule is the rule about the attribute manager.
func managerRule() runtime.Constraint {
	values := make([]any, len(managerNames))
	for i, name := range managerNames {
		values[i] = name
	}
	return runtime.OneOf("manager", values...)
}

// families are the distributions by ID and ID_LIKE of os-release(5): a system may
// have programs of several managers, and is made of packages of one.
var families = map[string]string{
	"debian": "apt", "ubuntu": "apt", "fedora": "dnf", "rhel": "dnf", "centos": "dnf", "alpine": "apk", "arch": "pacman", "archarm": "pacman",
}

// detect finds out which manager a host has.
func detect(ctx context.Context, h host.Host) (string, error) {
	r, err := remotecmd.Shell(`sed -n -e 's/^ID=/= /p' -e 's/^ID_LIKE=/= /p' /etc/os-release /usr/lib/os-release 2>/dev/null
for program in apt-get dnf apk pacman; do
  if command -v "$program" >/dev/null 2>&1; then echo "+ $program"; fi
done`).Run(ctx, h)
	if err != nil {
		return "", err
	}
	if name := chooseManager(r.Stdout); name != "" {
		return name, nil
	}
	return "", diag.AttributeErrorf("manager", "host %s has none of the package managers that are known here: %s. "+
		"Packages of others can be managed with posix_command", h.Name(), strings.Join(managerNames, ", "))
}

// chooseManager reads what detect's script says: the one of the distribution, if it
// is there, else the first that is.
func chooseManager(said string) string {
	var there, wanted []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if program, is := strings.CutPrefix(line, "+ "); is {
			there = append(there, strings.TrimSuffix(program, "-get"))
		} else if ids, is := strings.CutPrefix(line, "= "); is {
			for id := range strings.FieldsSeq(strings.Trim(ids, `"'`)) {
				wanted = append(wanted, families[id])
			}
		}
	}
	for _, name := range append(wanted, managerNames...) {
		if slices.Contains(there, name) {
			return name
		}
	}
	return ""
}

// lines are the lines of a text that have something in them.
func lines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			found = append(found, line)
		}
	}
	return found
}

// missingHold is the error of a system that has no way to hold packages.
func missingHold(h host.Host, remedy string) error {
	return fmt.Errorf("host %s cannot hold packages: %s", h.Name(), remedy)
}

// named names the program that a script has not found.
func named(h host.Host, program string, err error) error {
	if remotecmd.IsMissing(err) {
		return &remotecmd.Missing{Host: h.Name(), Program: program}
	}
	return err
}

package packages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// backend is a package manager. Its methods never prompt, and wait for other processes that
// hold a lock that the methods need. Its changes of packages are not interrupted (see
// [remotecmd.Call.RunDetached]). The methods of apt and pacman that install or remove packages
// also repair what an interrupted change left behind, with a warning.
type backend interface {
	// inventory returns the packages of the host with one command, including those that are not
	// completely installed (see status).
	inventory(ctx context.Context, h host.Host) (inventory, error)
	// available returns the versions in the local index by package name, the newest first.
	// Packages that are not in the index are left out.
	available(ctx context.Context, h host.Host, names []string) (map[string][]string, error)
	// providers returns the packages that provide a virtual package.
	providers(ctx context.Context, h host.Host, name string) ([]string, error)
	// explicit returns the packages that were installed explicitly, not as dependencies.
	explicit(ctx context.Context, h host.Host) ([]string, error)

	// install installs packages of the index, or changes their versions. It removes
	// no packages.
	install(ctx context.Context, h host.Host, candidates []candidate) error
	// markExplicit marks installed packages as installed explicitly.
	markExplicit(ctx context.Context, h host.Host, packages []packageState) error
	// dependents returns the other packages that require one of names, directly or indirectly, and
	// must be removed with it. With apk, it returns nil if no explicitly installed package requires one of names.
	dependents(ctx context.Context, h host.Host, names []string) ([]string, error)
	// remove removes packages and their dependents. apk keeps packages that explicitly installed packages require.
	remove(ctx context.Context, h host.Host, names []string, purge bool) error
	// hold adds or removes the holds of packages. A held package keeps its version when
	// others are upgraded.
	hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error
	// refresh updates the index.
	refresh(ctx context.Context, h host.Host) error
}

// inventory maps names to the packages of a host.
type inventory map[string]packageState

// packageState is the state of a package on a host.
type packageState struct {
	name, version string
	held          bool
	explicit      bool   // whether the package was installed explicitly; only set by apk
	tag           string // of the repository in the world file, such as @edge; only set by apk
	status        status
}

// status is the installation status of a package.
type status int

const (
	complete   status = iota
	incomplete        // the installation failed or was interrupted
	configOnly        // removed except for the configuration files
)

func packageNames(packages []packageState) []string {
	names := make([]string, len(packages))
	for i, p := range packages {
		names[i] = p.name
	}
	return names
}

// candidate is a package to install. An empty version stands for the version that the package
// manager prefers.
type candidate struct{ name, version string }

var backends = map[string]backend{"apt": apt{}, "dnf": dnf{}, "apk": apk{}, "pacman": pacman{}}

// backendNames lists all backends in the order in which chooseManager tries them, after that of the distribution.
var backendNames = []string{"apt", "dnf", "apk", "pacman"}

// managerRule returns the constraint on the attribute manager.
func managerRule() runtime.Constraint {
	values := make([]any, len(backendNames))
	for i, name := range backendNames {
		values[i] = name
	}
	return runtime.OneOf("manager", values...)
}

// managerOf maps values of ID and ID_LIKE in os-release(5) to the package manager of the distribution.
// A host may have the programs of several package managers, but only one of them has
// installed its packages.
var managerOf = map[string]string{
	"debian": "apt", "ubuntu": "apt", "fedora": "dnf", "rhel": "dnf", "centos": "dnf", "alpine": "apk", "arch": "pacman", "archarm": "pacman",
}

// detect returns the name of the package manager of a host, or an error if the host has none that is supported.
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
	return "", diag.AttributeErrorf("manager", "host %s has none of the supported package managers: %s. "+
		"For other package managers, use posix_command", h.Name(), strings.Join(backendNames, ", "))
}

// chooseManager parses the output of detect's script. It returns the package manager of the
// distribution if that is installed, else the first of backendNames that is installed, or an
// empty string.
func chooseManager(output string) string {
	var present, preferred []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if program, is := strings.CutPrefix(line, "+ "); is {
			present = append(present, strings.TrimSuffix(program, "-get"))
		} else if ids, is := strings.CutPrefix(line, "= "); is {
			for id := range strings.FieldsSeq(strings.Trim(ids, `"'`)) {
				preferred = append(preferred, managerOf[id])
			}
		}
	}
	for _, name := range append(preferred, backendNames...) {
		if slices.Contains(present, name) {
			return name
		}
	}
	return ""
}

// lines returns the lines of text that are not blank.
func lines(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); strings.TrimSpace(line) != "" {
			found = append(found, line)
		}
	}
	return found
}

// lockWait is how long retryWhileLocked waits for other processes that use a package manager.
const lockWait = 10 * time.Minute

// retryWhileLocked calls run, which runs a package manager that does not itself wait for a lock. It repeats the call
// for up to lockWait while its standard error contains text, because another process holds the lock.
func retryWhileLocked(ctx context.Context, text string, run func() error) error {
	for start := time.Now(); ; {
		if err := run(); !stderrHas(err, text) || time.Since(start) > lockWait {
			return err
		}
		if err := host.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
}

// stderrHas reports whether err is the error of a program whose standard error contains text.
func stderrHas(err error, text string) bool {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	return is && strings.Contains(failed.Stderr, text)
}

// warnRepaired warns of an interrupted run of a program; how is a sentence about the repair, without its final period.
func warnRepaired(ctx context.Context, h host.Host, program, how string) {
	runtime.Warn(ctx, "", "Interrupted package change", fmt.Sprintf("An earlier run of %s on host %s was interrupted. %s.", program, h.Name(), how))
}

// withProgram returns err or, if err is the [*remotecmd.Missing] of a script, an error that the host has no such program.
func withProgram(h host.Host, program string, err error) error {
	if remotecmd.IsMissing(err) {
		return &remotecmd.Missing{Host: h.Name(), Program: program}
	}
	return err
}

package packages

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// apt is the package manager of Debian, Ubuntu and their derivatives.
type apt struct{}

// aptGet returns a call of apt-get that does not prompt, waits for other processes that
// change packages, and keeps modified configuration files.
func aptGet(args ...string) remotecmd.Call {
	return remotecmd.Call{Args: append([]string{
		"env", "DEBIAN_FRONTEND=noninteractive", "APT_LISTCHANGES_FRONTEND=none",
		"apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=600", "-o", "Dpkg::Use-Pty=0",
		"-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
	}, args...)}
}

// updateApt updates the package lists that the options select, all by default. apt-get does not wait for the lock
// of the lists: DPkg::Lock::Timeout is for the locks of dpkg. Without APT::Update::Error-Mode=any, apt-get succeeds
// even if a repository cannot be reached.
func updateApt(ctx context.Context, h host.Host, options ...string) error {
	return retryWhileLocked(ctx, "Could not get lock", func() error {
		_, err := aptGet(append(options, "-o", "APT::Update::Error-Mode=any", "update")...).Run(ctx, h)
		return err
	})
}

// changeDpkg runs a call that changes packages. If the call fails because an earlier run of dpkg was
// interrupted, for example by a power failure, changeDpkg completes that run with dpkg --configure -a,
// adds a warning, and runs the call again.
func changeDpkg(ctx context.Context, h host.Host, call remotecmd.Call) error {
	run := func() error { // apt-get does not wait for the lock of the downloaded packages either
		return retryWhileLocked(ctx, "Could not get lock /var/cache/apt/archives/", func() error {
			_, err := call.RunDetached(ctx, h)
			return err
		})
	}
	err := run()
	if !stderrHas(err, "dpkg was interrupted") {
		return err
	}
	_, err = remotecmd.Call{Args: []string{
		"env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--force-confdef", "--force-confold", "--configure", "-a",
	}}.RunDetached(ctx, h)
	result := "completed its changes"
	if err != nil { // the scripts of a package failed, possibly those of a package that call does not change
		result = "failed for some packages: " + err.Error()
	}
	warnRepaired(ctx, h, "dpkg", "dpkg --configure -a "+result)
	return run()
}

func (apt) inventory(ctx context.Context, h host.Host) (inventory, error) {
	r, err := remotecmd.Shell(`dpkg --print-architecture && dpkg-query -W -f '${Package}\t${Version}\t${db:Status-Want}\t${db:Status-Status}\t${Architecture}\n'`).Run(ctx, h)
	if err != nil {
		return nil, withProgram(h, "dpkg-query", err)
	}
	return parseDpkg(r.Stdout), nil
}

// parseDpkg parses a line with the architecture of the host and the output of dpkg-query. If a
// package is installed for several architectures, it returns the one for the architecture of the host.
func parseDpkg(output string) inventory {
	native, rows, _ := strings.Cut(output, "\n")
	found := inventory{}
	for _, line := range lines(rows) {
		f := strings.Split(line, "\t")
		if len(f) != 5 || f[0] == "" || f[3] == "not-installed" {
			continue
		}
		if _, twice := found[f[0]]; twice && f[4] != native {
			continue
		}
		it := packageState{name: f[0], version: f[1], held: f[2] == "hold"}
		switch f[3] {
		case "installed", "triggers-pending", "triggers-awaited":
		case "config-files":
			it.status = configOnly
		default:
			it.status = incomplete
		}
		found[it.name] = it
	}
	return found
}

func (apt) available(ctx context.Context, h host.Host, names []string) (map[string][]string, error) {
	r, err := remotecmd.Run(ctx, h, append([]string{"apt-cache", "madison", "--"}, names...)...)
	if err != nil {
		return nil, err
	}
	return parseMadison(r.Stdout), nil
}

// parseMadison parses lines with a name, a version and an index, the newest version first. It leaves out the lines of
// source packages.
func parseMadison(output string) map[string][]string {
	found := map[string][]string{}
	for _, line := range lines(output) {
		f := strings.Split(line, "|")
		if len(f) != 3 || strings.HasSuffix(strings.TrimSpace(f[2]), " Sources") {
			continue
		}
		name, version := strings.TrimSpace(f[0]), strings.TrimSpace(f[1])
		if name != "" && version != "" && !slices.Contains(found[name], version) {
			found[name] = append(found[name], version)
		}
	}
	return found
}

func (apt) providers(ctx context.Context, h host.Host, name string) ([]string, error) {
	r, err := remotecmd.Call{Args: []string{"apt-cache", "showpkg", "--", name}, Answers: []int{100}}.Run(ctx, h)
	if err != nil {
		return nil, err
	}
	_, after, _ := strings.Cut(r.Stdout, "\nReverse Provides:")
	var found []string
	for _, line := range lines(after) {
		if provider := strings.Fields(line)[0]; !slices.Contains(found, provider) {
			found = append(found, provider)
		}
	}
	return found, nil
}

func (apt) explicit(ctx context.Context, h host.Host) ([]string, error) {
	r, err := remotecmd.Run(ctx, h, "apt-mark", "showmanual")
	if err != nil {
		return nil, err
	}
	found := lines(r.Stdout)
	for i, name := range found {
		found[i], _, _ = strings.Cut(name, ":") // a package of a foreign architecture is printed as name:arch
	}
	return found, nil
}

func (apt) install(ctx context.Context, h host.Host, candidates []candidate) error {
	args := []string{"--no-remove", "install", "--allow-downgrades", "--"}
	for _, p := range candidates {
		if p.version != "" {
			p.name += "=" + p.version
		}
		args = append(args, p.name)
	}
	err := changeDpkg(ctx, h, aptGet(args...))
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && strings.Contains(failed.Stderr, "remove is disabled") {
		return fmt.Errorf("%w. Installing it would remove packages that conflict with it: %s. Nothing was changed. "+
			"Remove these packages first, or choose another package", err, strings.Join(section(failed.Stdout, "The following packages will be REMOVED:"), ", "))
	}
	return err
}

// section returns the words of the indented lines below a heading.
func section(output, heading string) []string {
	_, after, _ := strings.Cut(output, heading+"\n")
	var words []string
	for line := range strings.Lines(after) {
		if !strings.HasPrefix(line, " ") {
			break
		}
		words = append(words, strings.Fields(line)...)
	}
	return words
}

func (apt) markExplicit(ctx context.Context, h host.Host, packages []packageState) error {
	_, err := remotecmd.Call{Args: append([]string{"apt-mark", "manual", "--"}, packageNames(packages)...)}.RunDetached(ctx, h)
	return err
}

func (apt) dependents(ctx context.Context, h host.Host, names []string) ([]string, error) {
	r, err := aptGet(append([]string{"-s", "remove", "--"}, names...)...).Run(ctx, h)
	return aptRemoves(r.Stdout, names), err
}

func (apt) remove(ctx context.Context, h host.Host, names []string, purge bool) error {
	verb := "remove"
	if purge {
		verb = "purge"
	}
	return changeDpkg(ctx, h, aptGet(append([]string{verb, "--"}, names...)...))
}

// aptRemoves returns the packages besides names that a simulation removes.
func aptRemoves(output string, names []string) []string {
	var others []string
	for _, line := range lines(output) {
		f := strings.Fields(line)
		if len(f) < 2 || f[0] != "Remv" {
			continue
		}
		name, _, _ := strings.Cut(f[1], ":")
		if !slices.Contains(names, name) {
			others = append(others, name)
		}
	}
	return others
}

func (apt) hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error {
	h := scope.Host
	args := []string{"apt-mark", "unhold", "--"}
	if held {
		args[1] = "hold"
	}
	call := remotecmd.Call{Args: append(args, packageNames(packages)...)}
	return retryWhileLocked(ctx, "locked by another process", func() error { // the error of dpkg
		_, err := call.RunDetached(ctx, h)
		return err
	})
}

func (apt) refresh(ctx context.Context, h host.Host) error { return updateApt(ctx, h) }

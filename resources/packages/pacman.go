package packages

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// pacman is the package manager of Arch Linux and its derivatives.
type pacman struct{}

// unlockPacman removes the lock of the database, a file that pacman has open while it runs, if
// no process has it open. It prints the path of the removed file.
var unlockPacman = remotecmd.Shell(`lock=$(pacman-conf DBPath)db.lck
[ -e "$lock" ] || exit 0
ls -l /proc/[0-9]*/fd 2>/dev/null | grep -qF -e "-> $lock" || { rm "$lock" && echo "$lock"; }`)

const pacmanConf address.Path = "/etc/pacman.conf"

// run runs pacman, and repeats the call for up to lockWait while another process holds the lock of the database,
// because pacman does not wait for it. It removes the lock of a process that was killed, with a warning.
func (pacman) run(ctx context.Context, h host.Host, args ...string) error {
	const locked = "unable to lock database"
	call := remotecmd.Call{Args: append([]string{"pacman", "--noconfirm"}, args...)}
	return retryWhileLocked(ctx, locked, func() error {
		_, err := call.RunDetached(ctx, h)
		if !stderrHas(err, locked) {
			return err
		}
		r, unlockErr := unlockPacman.RunDetached(ctx, h)
		if unlockErr != nil || r.Stdout == "" {
			return cmp.Or(unlockErr, err)
		}
		warnRepaired(ctx, h, "pacman", "Its lock "+strings.TrimSpace(r.Stdout)+", which no process has open, was removed")
		_, err = call.RunDetached(ctx, h)
		return err
	})
}

func (pacman) inventory(ctx context.Context, h host.Host) (inventory, error) {
	// pacman -Q also exits with 1, but prints no error, if no packages are installed.
	r, err := remotecmd.Shell(`pacman -Q || { [ "$?" = 1 ] && ! pacman -Qq 2>&1 | grep '^error:' >&2; } || exit 1
echo = && pacman-conf IgnorePkg`).Run(ctx, h)
	if err != nil {
		return nil, withProgram(h, "pacman", err)
	}
	return parsePacman(r.Stdout), nil
}

// parsePacman parses lines with a name and a version, and, after a line with =, the names of
// held packages.
func parsePacman(output string) inventory {
	rows, holds, _ := strings.Cut("\n"+output, "\n=\n")
	found := inventory{}
	held := lines(holds)
	for _, line := range lines(rows) {
		if f := strings.Fields(line); len(f) == 2 {
			found[f[0]] = packageState{name: f[0], version: f[1], held: slices.Contains(held, f[0])}
		}
	}
	return found
}

func (p pacman) available(ctx context.Context, h host.Host, names []string) (map[string][]string, error) {
	r, err := remotecmd.Run(ctx, h, append([]string{"pacman", "-Si", "--"}, names...)...)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && onlyNotFound(failed.Stderr) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return parsePacmanInfo(r.Stdout), nil
}

// onlyNotFound reports whether output has errors, and all of them are about unknown packages.
func onlyNotFound(output string) bool {
	found := false
	for _, line := range lines(output) {
		if strings.HasPrefix(line, "error:") {
			if !strings.HasSuffix(line, " was not found") {
				return false
			}
			found = true
		}
	}
	return found
}

// parsePacmanInfo parses paragraphs of fields. If several repositories have a package, it returns the
// version that pacman installs: the one in the first repository.
func parsePacmanInfo(output string) map[string][]string {
	found := map[string][]string{}
	name := ""
	for _, line := range lines(output) {
		field, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(field) {
		case "Name":
			name = value
		case "Version":
			if ok && name != "" && value != "" && found[name] == nil {
				found[name] = []string{value}
			}
			name = ""
		}
	}
	return found
}

func (pacman) providers(ctx context.Context, h host.Host, name string) ([]string, error) {
	r, err := remotecmd.Call{Args: []string{"pacman", "-Sp", "--print-format", "%n", "--", name}, Answers: []int{1}}.Run(ctx, h)
	if r.ExitCode != 0 {
		return nil, err
	}
	return lines(r.Stdout), err
}

func (pacman) explicit(ctx context.Context, h host.Host) ([]string, error) {
	r, err := remotecmd.Call{Args: []string{"pacman", "-Qeq"}, Answers: []int{1}}.Run(ctx, h) // exit code 1: no explicit packages
	return lines(r.Stdout), err
}

// install installs each candidate in the version that the repositories have, even if the installed version is newer.
func (p pacman) install(ctx context.Context, h host.Host, candidates []candidate) error {
	args := []string{"-S", "--noprogressbar", "--"}
	for _, candidate := range candidates {
		args = append(args, candidate.name)
	}
	return p.run(ctx, h, args...)
}

func (p pacman) markExplicit(ctx context.Context, h host.Host, packages []packageState) error {
	return p.run(ctx, h, append([]string{"-D", "-q", "--asexplicit", "--"}, packageNames(packages)...)...)
}

func (pacman) dependents(ctx context.Context, h host.Host, names []string) ([]string, error) {
	r, err := remotecmd.Run(ctx, h, append([]string{"pacman", "-R", "--cascade", "--print", "--print-format", "%n", "--"}, names...)...)
	return slices.DeleteFunc(lines(r.Stdout), func(name string) bool { return slices.Contains(names, name) }), err
}

func (p pacman) remove(ctx context.Context, h host.Host, names []string, purge bool) error {
	option := "-R"
	if purge {
		option = "-Rn"
	}
	return p.run(ctx, h, append([]string{option, "--cascade", "--noprogressbar", "--"}, names...)...)
}

func (pacman) hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error {
	names := packageNames(packages)
	_, err := textedit.File(ctx, scope, pacmanConf, host.Attributes{}, func(was []byte) ([]byte, error) {
		return []byte(setIgnored(string(was), names, held)), nil
	})
	return err
}

// setIgnored returns conf with names in IgnorePkg lines of the section options if held is true, and
// otherwise without them. It adds one line for the missing names, and the section if it is missing. It
// removes lines that have no names left.
func setIgnored(conf string, names []string, held bool) string {
	var out []string // lines of the new text
	section, options := "", -1
	missing := slices.Clone(names)
	for line := range strings.Lines(conf) {
		bare := strings.TrimSpace(line)
		key, value, _ := strings.Cut(bare, "=")
		switch {
		case strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]"):
			if section = strings.Trim(bare, "[]"); section == "options" && options < 0 {
				options = len(out) + 1
			}
		case section == "options" && strings.TrimSpace(key) == "IgnorePkg":
			was := strings.Fields(value)
			missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(was, name) })
			left := slices.DeleteFunc(slices.Clone(was), func(name string) bool { return slices.Contains(names, name) })
			switch {
			case held || len(left) == len(was):
			case len(left) == 0:
				continue
			default:
				line = "IgnorePkg = " + strings.Join(left, " ") + "\n"
			}
		}
		out = append(out, line)
	}
	if !held || len(missing) == 0 {
		return strings.Join(out, "")
	}
	added := "IgnorePkg = " + strings.Join(missing, " ") + "\n"
	if options < 0 {
		options, added = len(out), "[options]\n"+added
	}
	if options > 0 && !strings.HasSuffix(out[options-1], "\n") {
		added = "\n" + added
	}
	return strings.Join(slices.Insert(out, options, added), "")
}

func (p pacman) refresh(ctx context.Context, h host.Host) error {
	return p.run(ctx, h, "-Sy", "--noprogressbar")
}

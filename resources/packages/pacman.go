package packages

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// pacman is the package manager of Arch Linux and its derivatives.
type pacman struct{}

const pacmanConf address.Path = "/etc/pacman.conf"

// lockWait is how long run waits for other processes that use pacman. pacman itself does
// not wait.
const lockWait = 10 * time.Minute

// run runs pacman. It tries again while another process holds the lock of the database.
func (pacman) run(ctx context.Context, h host.Host, args ...string) error {
	start := time.Now()
	for {
		_, err := remotecmd.Run(ctx, h, append([]string{"pacman", "--noconfirm"}, args...)...)
		failed, is := errors.AsType[*remotecmd.Failed](err)
		if !is || !strings.Contains(failed.Stderr, "unable to lock database") || time.Since(start) > lockWait {
			return err
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (pacman) inventory(ctx context.Context, h host.Host) (inventory, error) {
	r, err := remotecmd.Shell(`pacman -Q || { [ "$?" = 1 ] && ! pacman -Qq 2>&1 | grep '^error:' >&2; } || exit 1 # 1 is also for none
echo = && pacman-conf IgnorePkg`).Run(ctx, h)
	if err != nil {
		return nil, withProgram(h, "pacman", err)
	}
	return parsePacman(r.Stdout), nil
}

// parsePacman parses lines with a name and a version, and after a line with = the names of
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

// onlyNotFound reports whether all errors are about unknown packages.
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

// parsePacmanInfo parses paragraphs of fields. It keeps the versions in the order of the
// repositories, because pacman installs that of the first one.
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
			if ok && name != "" && value != "" && !slices.Contains(found[name], value) {
				found[name] = append(found[name], value)
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
	r, err := remotecmd.Call{Args: []string{"pacman", "-Qeq"}, Answers: []int{1}}.Run(ctx, h) // exits with 1 if there are none
	return lines(r.Stdout), err
}

// install installs the version that the repository has, even if an older one.
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

func (p pacman) remove(ctx context.Context, h host.Host, names []string, purge bool) error {
	option := "-R"
	if purge {
		option = "-Rn"
	}
	err := p.run(ctx, h, append([]string{option, "--noprogressbar", "--"}, names...)...)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is {
		if others := pacmanNeeds(failed.Stdout + "\n" + failed.Stderr); len(others) > 0 {
			return requiredByOthers(h, names, others)
		}
	}
	return err
}

// pacmanNeeds returns the packages that require packages to be removed.
func pacmanNeeds(output string) []string {
	var others []string
	for _, line := range lines(output) {
		if _, by, is := strings.Cut(line, " required by "); is && !slices.Contains(others, by) {
			others = append(others, by)
		}
	}
	return others
}

func (pacman) hold(ctx context.Context, scope *lifecycle.Scope, packages []packageState, held bool) error {
	names := packageNames(packages)
	_, err := textedit.File(ctx, scope, pacmanConf, host.Attributes{}, func(was []byte) ([]byte, error) {
		return []byte(setIgnored(string(was), names, held)), nil
	})
	return err
}

// setIgnored adds an IgnorePkg line with names to the section options, or removes names from
// the IgnorePkg lines there. It removes lines that have no names left.
func setIgnored(conf string, names []string, held bool) string {
	var b strings.Builder
	todo := slices.Clone(names)
	section := ""
	for line := range strings.Lines(conf) {
		bare := strings.TrimSpace(line)
		key, value, ok := strings.Cut(bare, "=")
		switch {
		case strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]"):
			section = strings.Trim(bare, "[]")
			b.WriteString(line)
			if section == "options" && held {
				ignore := slices.DeleteFunc(slices.Clone(todo), func(name string) bool { return ignores(conf, name) })
				if len(ignore) > 0 {
					if !strings.HasSuffix(line, "\n") {
						b.WriteByte('\n')
					}
					b.WriteString("IgnorePkg = " + strings.Join(ignore, " ") + "\n")
				}
				todo = nil
			}
			continue
		case !held && section == "options" && ok && strings.TrimSpace(key) == "IgnorePkg":
			was := strings.Fields(value)
			left := slices.DeleteFunc(slices.Clone(was), func(name string) bool { return slices.Contains(names, name) })
			switch {
			case len(left) == len(was):
			case len(left) == 0:
				continue
			default:
				line = "IgnorePkg = " + strings.Join(left, " ") + "\n"
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

// ignores reports whether conf has an IgnorePkg line with the name.
func ignores(conf, name string) bool {
	for _, line := range lines(conf) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if strings.TrimSpace(key) == "IgnorePkg" && slices.Contains(strings.Fields(value), name) {
			return true
		}
	}
	return false
}

func (p pacman) refresh(ctx context.Context, h host.Host) error {
	return p.run(ctx, h, "-Sy", "--noprogressbar")
}

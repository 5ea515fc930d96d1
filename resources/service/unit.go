package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/internal/graceperiod"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Place implements [lifecycle.Object].
func (u *SystemdUnit) Place() (*string, lifecycle.Key) { return u.Host, u.path() }

// ValidateInputs implements [runtime.InputValidator].
func (u *SystemdUnit) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	h := scope.Host
	u.Announce(ctx, scope)
	return scope.PreflightAsRoot(ctx, "systemd units", func() error {
		if runtime.PlansCreate(ctx) && !scope.Owned() {
			_, content, err := u.content(ctx, h)
			if err != nil {
				return err
			}
			if err := u.checkAdoptable(h, content); err != nil {
				return err
			}
			if content == nil {
				if err := warnIfNotInstalled(ctx, h); err != nil {
					return err
				}
			}
		}
		if is(u.Verify, false) {
			return nil
		}
		return u.verify(ctx, h)
	})
}

// Announce implements [lifecycle.Announcer].
func (u *SystemdUnit) Announce(_ context.Context, scope *lifecycle.Scope) {
	scope.PlanUnit(string(u.Name))
}

// warnIfNotInstalled warns if the host does not have the directory of units, which the package of
// systemd creates.
func warnIfNotInstalled(ctx context.Context, h host.Host) error {
	_, err := h.Lstat(ctx, strings.TrimSuffix(unitDirectory, "/"))
	if errors.Is(err, fs.ErrNotExist) {
		lifecycle.WarnMissing(ctx, "host", fmt.Errorf("host %s does not have systemd: %s does not exist. Install systemd first", h.Name(), unitDirectory))
		return nil
	}
	return lifecycle.ConnectionError(err)
}

// content returns the information and the content of the file; the content is nil if the file does not exist.
func (u *SystemdUnit) content(ctx context.Context, h host.Host) (host.FileInfo, []byte, error) {
	info, content, err := textedit.Read(ctx, h, u.path())
	if err != nil {
		if link, lstatErr := h.Lstat(ctx, string(u.path())); lstatErr == nil && link.LinkTarget == "/dev/null" {
			remedy := fmt.Sprintf("the unit %s is masked, as the link leads to /dev/null. Unmask it first (systemctl unmask %[1]s), and apply again", u.Name)
			if u.DropIn != nil {
				remedy = fmt.Sprintf("systemd reads no drop-in of %s with this name, as the link leads to /dev/null. Remove the link first, and apply again", u.Name)
			}
			err = &hostpath.WrongTypeError{Host: h.Name(), Path: string(u.path()), Want: host.TypeRegular, Got: host.TypeSymlink, Remedy: remedy}
		}
	}
	return info, content, err
}

// checkAdoptable returns an error if the file exists and its content differs from the configured content. The content is
// nil if the file does not exist.
func (u *SystemdUnit) checkAdoptable(h host.Host, content []byte) error {
	if content == nil || address.Shown(string(content)) == u.Content {
		return nil
	}
	return lifecycle.ConflictErrorf("name", "%s already exists on host %s with different content. To manage it, import it (id %q); a plan then shows what would change. Or remove it",
		u.path(), h.Name(), h.Name()+":"+u.id())
}

func (u *SystemdUnit) attributes() host.Attributes {
	return host.Attributes{Mode: &u.Mode, UID: new(uint32(0)), GID: new(uint32(0))}
}

// Create implements [runtime.TypedResource].
func (u *SystemdUnit) Create(ctx context.Context, scope *lifecycle.Scope) (*UnitOutput, error) {
	h := scope.Host
	var info host.FileInfo
	err := u.withDirectory(ctx, scope, func() (err error) {
		if err = u.makeDirectory(ctx, h); err == nil {
			info, err = u.write(ctx, h, host.WriteOptions{Exclusive: true})
		}
		return err
	})
	adopts := errors.Is(err, fs.ErrExist)
	if adopts {
		var content []byte
		switch info, content, err = u.content(ctx, h); {
		case err != nil:
		case content == nil:
			err = fs.ErrNotExist // removed since the write
		default:
			err = u.checkAdoptable(h, content)
		}
		if err == nil {
			info, err = access.Set(ctx, h, info, u.attributes())
		}
	}
	if err != nil {
		return nil, u.wrapError(ctx, h, err)
	}
	out, err := u.load(ctx, scope, info)
	if err != nil && adopts {
		return nil, err // in the state, the unit would be tainted, and the next apply would remove a file that this resource did not create
	}
	return out, err
}

// withDirectory runs do while no other operation of this process creates or removes the directory of the unit's
// drop-ins, which is removed with the last drop-in.
func (u *SystemdUnit) withDirectory(ctx context.Context, scope *lifecycle.Scope, do func() error) error {
	return scope.WithLock(ctx, "drop-ins of "+string(u.Name), do)
}

// makeDirectory creates the directory of a drop-in if it does not exist. For a unit file, it does nothing, because the
// package of systemd creates the directory.
func (u *SystemdUnit) makeDirectory(ctx context.Context, h host.Host) error {
	if u.DropIn == nil {
		return nil
	}
	dir := address.Path(path.Dir(string(u.path())))
	_, err := h.Mkdir(ctx, string(dir), host.Attributes{Mode: new(host.Mode(0o755))})
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (u *SystemdUnit) wrapError(ctx context.Context, h host.Host, err error) error {
	if err == nil {
		return nil
	}
	return hostpath.Explain(h, u.path(), host.TypeRegular, hostpath.NoDirectory(ctx, h, u.path(), err, "install systemd first"))
}

func (u *SystemdUnit) write(ctx context.Context, h host.Host, opts host.WriteOptions) (host.FileInfo, error) {
	opts.Attributes = u.attributes()
	return h.WriteFile(ctx, string(u.path()), strings.NewReader(u.Content), opts)
}

// Read implements [runtime.TypedResource].
func (u *SystemdUnit) Read(ctx context.Context, scope *lifecycle.Scope, _ *UnitOutput) (*UnitOutput, error) {
	h := scope.Host
	info, content, err := u.content(ctx, h)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return nil, fmt.Errorf("%w: %s does not exist on host %s", runtime.ErrNotFound, u.path(), h.Name())
	}
	out := u.output(h, info)
	out.Content = address.Shown(string(content))
	units, err := u.units(ctx, h)
	out.ReloadNeeded = units.outdated || u.failsToLoad(units)
	return out, err
}

// failsToLoad reports whether systemd cannot load the unit file. For a drop-in, it returns false, because the cause may
// be another file of the unit.
func (u *SystemdUnit) failsToLoad(of units) bool { return of.loadError != "" && u.DropIn == nil }

// Update implements [runtime.TypedResource]. It does not replace content that the plan did not
// show.
func (u *SystemdUnit) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[SystemdUnit, *UnitOutput]) (*UnitOutput, error) {
	h := scope.Host
	info, content, err := u.content(ctx, h)
	switch {
	case err != nil:
		return nil, err
	case content == nil:
		return nil, fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", u.path(), h.Name())
	case bytes.Equal(content, []byte(u.Content)):
		info, err = access.Set(ctx, h, info, u.attributes())
	case address.Shown(string(content)) != prior.Observed.Content:
		err = host.ErrChanged
	default:
		info, err = u.write(ctx, h, host.WriteOptions{Unchanged: new(info.Stamp())})
	}
	if errors.Is(err, host.ErrChanged) {
		err = lifecycle.ChangedAfterPlan("name", h, u.path())
	}
	if err != nil {
		return nil, u.wrapError(ctx, h, err)
	}
	return u.load(ctx, scope, info)
}

// load makes systemd reload its units. It returns the output even if it returns an error, for example because
// systemd cannot load the unit file.
func (u *SystemdUnit) load(ctx context.Context, scope *lifecycle.Scope, info host.FileInfo) (*UnitOutput, error) {
	h := scope.Host
	out := u.output(h, info)
	out.Content = u.Content
	if err := daemonReload(ctx, scope); err != nil {
		out.ReloadNeeded = true
		return out, fmt.Errorf("%s has the configured content, but systemd could not be reloaded: %w", u.path(), err)
	}
	units, err := u.units(ctx, h)
	if out.ReloadNeeded = u.failsToLoad(units); err == nil && out.ReloadNeeded {
		err = fmt.Errorf("%s has the configured content, but systemd on host %s cannot load it (%s): see systemctl status %s. Correct the content and apply again",
			u.path(), h.Name(), units.loadError, u.Name)
	}
	return out, err
}

// deleteGrace is how long the delete of a unit may continue after the run is interrupted. The next refresh does not find
// a file that was removed, so no later delete would reload systemd, which would keep the settings of the file.
const deleteGrace = 10 * time.Second

// Delete implements [runtime.TypedResource].
func (u *SystemdUnit) Delete(ctx context.Context, scope *lifecycle.Scope, _ *UnitOutput) error {
	h := scope.Host
	ctx, cancel := graceperiod.With(ctx, deleteGrace)
	defer cancel()
	if err := hostpath.Remove(ctx, h, u.path(), host.TypeRegular); err != nil {
		return err
	}
	if u.DropIn != nil {
		dir := path.Dir(string(u.path()))
		err := u.withDirectory(ctx, scope, func() error { return h.Rmdir(ctx, dir) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, host.ErrNotEmpty) {
			return hostpath.Explain(h, address.Path(dir), host.TypeDirectory, err)
		}
	}
	units, err := u.units(ctx, h)
	if err == nil && units.active && u.DropIn == nil {
		runtime.Warn(ctx, "", "Unit file removed while the unit is active",
			fmt.Sprintf("%s runs on host %s, and continues without its file until it is stopped. Let the posix_service that starts it depend on this resource.", u.Name, h.Name()))
	}
	return errors.Join(err, daemonReload(ctx, scope))
}

// output returns the output without Content and ReloadNeeded. The name of an owner or group with ID 0 is always root.
func (u *SystemdUnit) output(h host.Host, info host.FileInfo) *UnitOutput {
	out := &UnitOutput{Host: new(h.Name()), Name: u.Name, DropIn: u.DropIn, Mode: info.Mode, Path: string(u.path()), Owner: info.Owner, Group: info.Group}
	if info.UID == 0 {
		out.Owner = root
	}
	if info.GID == 0 {
		out.Group = root
	}
	return out
}

// units is the combined state of the units that a file configures: one unit, or the loaded
// instances of a template.
type units struct {
	outdated, active bool
	loadError        string // empty if systemd can load the units
}

// unitsScript prints the states of units if systemd is running.
const unitsScript = `if [ -d /run/systemd/system ]; then
  exec systemctl show --no-pager -p LoadState,ActiveState,NeedDaemonReload -- "$1"
fi`

func (u *SystemdUnit) units(ctx context.Context, h host.Host) (units, error) {
	name := string(u.Name)
	if strings.HasSuffix(stem(name), "@") {
		name = stem(name) + "*." + unitType(name)
	}
	output, err := remotecmd.Shell(unitsScript, name).Run(ctx, h)
	var all units
	for name, value := range settings(output.Stdout) {
		switch name {
		case "NeedDaemonReload":
			all.outdated = all.outdated || value == "yes"
		case "ActiveState":
			all.active = all.active || value == "active" || value == "activating"
		case "LoadState":
			if value == "bad-setting" || value == "error" {
				all.loadError = value
			}
		}
	}
	if all.loadError != "" && u.DropIn != nil {
		all.outdated = false // systemd reports yes for each unit that has drop-ins and cannot be loaded
	}
	return all, err
}

// verifyScript checks a file of the unit $1 with systemd-analyze. $2 is the path of the file in a directory of units, and
// standard input is its content. Other units, and other drop-ins of the unit, are those of the host. The script prints
// the temporary directory, which is a prefix of the file's path in the messages of systemd-analyze, and then the
// messages. It prints nothing if the host has no systemd-analyze or the temporary directory cannot be created.
const verifyScript = `command -v systemd-analyze >/dev/null 2>&1 || exit 0
dir=$(mktemp -d) || exit 0
trap 'rm -rf "$dir"' EXIT
case $2 in */*) mkdir "$dir/${2%/*}" ;; esac
cat >"$dir/$2"
echo "$dir"
SYSTEMD_UNIT_PATH=$dir: systemd-analyze verify --man=no "$1" 2>&1
exit 0`

// verify returns an error if systemd would reject the unit or the connection to the host fails. It warns about
// missing units and programs, and about settings that systemd would ignore.
func (u *SystemdUnit) verify(ctx context.Context, h host.Host) error {
	call := remotecmd.Shell(verifyScript, string(u.Name), u.relative())
	call.Stdin = u.Content
	output, err := call.Run(ctx, h)
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	refused, ignored := parseVerify(output.Stdout, string(u.Name), u.relative())
	if len(refused) > 0 {
		return diag.AttributeErrorf("content", "systemd on host %s rejects the unit %s:\n  %s\nCorrect the content. To install the unit anyway, set verify = false",
			h.Name(), u.Name, strings.Join(append(ignored, refused...), "\n  "))
	}
	if len(ignored) > 0 {
		runtime.Warn(ctx, "content", "Unit with warnings",
			fmt.Sprintf("systemd on host %s accepts the unit %s with warnings:\n  %s\nPrograms and units that do not exist yet may be installed by the same apply.", h.Name(), u.Name, strings.Join(ignored, "\n  ")))
	}
	return nil
}

// badSetting is a part of the message of systemd-analyze about a unit with an invalid setting.
const badSetting = " has a bad unit file setting"

// parseVerify returns the messages of systemd-analyze about a file of a unit: refused are those for which systemd rejects
// the unit, and ignored are warnings. It drops the errors of other units: the unit may refer to a unit that is broken and
// that the same run corrects.
func parseVerify(output, unit, relative string) (refused, ignored []string) {
	dir, rest, _ := strings.Cut(output, "\n")
	messages := strings.Split(strings.ReplaceAll(rest, dir+"/", ""), "\n")
	id := unit // unless unit is an alias
	for _, line := range messages {
		if name, is := strings.CutPrefix(line, "Unit "); is && strings.Contains(name, badSetting) {
			id, _, _ = strings.Cut(name, badSetting)
		}
		_, job, _ := strings.Cut(line, ": Failed to create ") // only older versions print this, always about the unit itself
		if name, _, is := strings.Cut(job, "/start: "); is {
			id = name
		}
	}
	own := func(name string) bool { return name == id || template(name) == unit }
	for _, line := range messages {
		line = strings.TrimSpace(line)
		about, _, _ := strings.Cut(line, ":")
		before, _, bad := strings.Cut(line, badSetting)
		switch {
		case line == "":
		case strings.HasSuffix(line, "Refusing.") && (about == relative || own(about)), bad && own(before[strings.LastIndexByte(before, ' ')+1:]):
			refused = append(refused, line)
		case strings.HasPrefix(line, relative), strings.HasSuffix(line, ".") && strings.Contains(line, " not found"),
			strings.Contains(line, "is not executable"):
			ignored = append(ignored, line)
		}
	}
	return refused, ignored
}

// maxUnitText is the maximum size of the content in bytes. systemd has the same limit for a line.
const maxUnitText = 1 << 20

// checkUnitText returns an error if a line has a control character or is neither empty nor a section, setting or
// comment, or if the text is too large, has no section, or has a setting before its first section. It does not check
// what settings mean.
func checkUnitText(text string) error {
	if len(text) > maxUnitText {
		return fmt.Errorf("a unit file must not be larger than %d bytes", maxUnitText)
	}
	section, continued, number := false, false, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		// Control characters outside ASCII are accepted, as by systemd.
		if strings.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return fmt.Errorf("line %d has a control character", number)
		}
		bare := strings.TrimSpace(line)
		comment := strings.HasPrefix(bare, "#") || strings.HasPrefix(bare, ";")
		switch {
		case comment: // a comment may be within a setting of several lines
			continue
		case continued, bare == "":
		case strings.HasPrefix(bare, "["):
			if !strings.HasSuffix(bare, "]") || len(bare) < len("[x]") {
				return fmt.Errorf("line %d: a section must be a name in brackets, such as [Service]", number)
			}
			section = true
		case !section:
			return fmt.Errorf("line %d is not in a section: the first line after comments must be a name in brackets, such as [Service]", number)
		case strings.IndexByte(bare, '=') < 1:
			return fmt.Errorf("line %d is neither a section nor a setting (a name, an equals sign and a value)", number)
		}
		continued = strings.HasSuffix(line, `\`)
	}
	if !section {
		return errors.New("a unit file must have at least one section, such as [Service]")
	}
	return nil
}

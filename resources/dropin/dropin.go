// Package dropin manages files in drop-in directories, such as /etc/sudoers.d and
// /etc/cron.d. Each file is one object, belongs to root, and has the mode that the
// program requires.
//
// It decides which names are valid, and how mode and owner are repaired. The packages of
// resources call it with the content, and decide whether an existing file is adopted.
//
// Invariants: a file is created or replaced atomically, with its final mode and owner,
// after the caller's check of the complete temporary file; an update replaces only the text
// that the plan has shown; only regular files are replaced or removed, and links are not
// followed.
//
// Elsewhere: package textedit handles managed blocks in files, package file other files.
package dropin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// validName matches the names of files that all programs read. Which other files they ignore, such as
// backups and files that package managers leave, differs from program to program.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CheckName returns an error if a program may ignore files with that name, or if the name has more than 200 bytes.
func CheckName(name string) error {
	if len(name) > 200 || !validName.MatchString(name) {
		return errors.New("a name consists of up to 200 letters, digits, dashes and underscores: some programs ignore files with dots, tildes or other characters in their names")
	}
	return nil
}

// File is a managed file in a drop-in directory.
type File struct {
	Path address.Path
	Mode host.Mode
	// Missing is the remedy for a missing directory, which the error contains.
	Missing string
	// Check returns an error if the program would reject the content of the temporary file
	// temp. If Check is nil, all contents are accepted.
	Check func(ctx context.Context, temp string) error
}

// Access is the mode, owner and group of a file in the form of the schema.
type Access struct {
	Mode  host.Mode
	Owner string
	Group string
}

// Wanted returns the access that the file must have.
func (f File) Wanted() Access { return Access{f.Mode, "root", "root"} }

// PlanOutputs plans the outputs path, mode, owner and group.
func (f File) PlanOutputs(plan *runtime.OutputPlan) {
	wanted := f.Wanted()
	plan.Set("path", f.Path)
	plan.Set("mode", wanted.Mode)
	plan.Set("owner", wanted.Owner)
	plan.Set("group", wanted.Group)
}

// PlanRepair marks the outputs mode, owner and group as unknown if they differ from the
// access that the file must have, because an update repairs them.
func (f File) PlanRepair(is Access, resp *runtime.ResourcePlanResponse) {
	wanted := f.Wanted()
	if is.Mode != wanted.Mode {
		resp.MarkOutputUnknown("mode")
	}
	if is.Owner != wanted.Owner {
		resp.MarkOutputUnknown("owner")
	}
	if is.Group != wanted.Group {
		resp.MarkOutputUnknown("group")
	}
}

// accessOf returns the mode, owner and group of a file. An owner or group with ID 0 is always root.
func accessOf(info host.FileInfo) Access {
	a := Access{info.Mode, info.Owner, info.Group}
	if info.UID == 0 {
		a.Owner = "root"
	}
	if info.GID == 0 {
		a.Group = "root"
	}
	return a
}

func (f File) attributes() host.Attributes {
	return host.Attributes{Mode: new(f.Mode), UID: new(uint32(0)), GID: new(uint32(0))}
}

// Create creates the file. If the file exists, Create adopts it and repairs its mode and
// owner, unless conflict returns an error for the existing text.
func (f File) Create(ctx context.Context, h host.Host, text []byte, conflict func(existing []byte) error) error {
	err := f.write(ctx, h, text, host.WriteOptions{Exclusive: true})
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, existing, err := textedit.Read(ctx, h, f.Path)
	if err != nil {
		return err
	}
	if err := conflict(existing); err != nil {
		return err
	}
	return f.repair(ctx, h)
}

// Read returns the text of the file and its access. The error wraps
// [runtime.ErrNotFound] if the file does not exist.
func (f File) Read(ctx context.Context, h host.Host) ([]byte, Access, error) {
	info, text, err := textedit.Read(ctx, h, f.Path)
	if err == nil && text == nil {
		err = fmt.Errorf("%w: %s does not exist on host %s", runtime.ErrNotFound, f.Path, h.Name())
	}
	return text, accessOf(info), err
}

// Update sets the text, mode and owner of the file. It returns an error if the file does not exist. If the
// existing text differs from text, and shown reports that the plan has not shown the existing text, Update
// returns an error and keeps the file.
func (f File) Update(ctx context.Context, h host.Host, text []byte, shown func(existing []byte) bool) error {
	info, existing, err := textedit.Read(ctx, h, f.Path)
	switch {
	case err != nil:
		return err
	case existing == nil:
		return fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", f.Path, h.Name())
	case bytes.Equal(existing, text):
		return f.repair(ctx, h)
	case !shown(existing):
		return lifecycle.ChangedAfterPlan("name", h, f.Path)
	}
	err = f.write(ctx, h, text, host.WriteOptions{Unchanged: new(info.Stamp())})
	if errors.Is(err, host.ErrChanged) {
		err = lifecycle.ChangedAfterPlan("name", h, f.Path)
	}
	return err
}

func (f File) write(ctx context.Context, h host.Host, text []byte, opts host.WriteOptions) error {
	opts.Attributes, opts.BeforeReplace = f.attributes(), f.Check
	_, err := h.WriteFile(ctx, string(f.Path), bytes.NewReader(text), opts)
	return hostpath.Explain(h, f.Path, host.TypeRegular, hostpath.NoDirectory(ctx, h, f.Path, hostpath.CallerError(err), f.Missing))
}

// repair sets mode and owner if they differ, and removes temporary files of a killed
// writer.
func (f File) repair(ctx context.Context, h host.Host) error {
	err := h.RemoveTemp(ctx, string(f.Path))
	var info host.FileInfo
	if err == nil {
		info, err = h.Lstat(ctx, string(f.Path))
	}
	if err == nil {
		_, err = access.Set(ctx, h, info, f.attributes())
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, err)
}

// Remove removes the file, and temporary files of a killed writer. A missing file is not an error.
func (f File) Remove(ctx context.Context, h host.Host) error {
	return hostpath.Remove(ctx, h, f.Path, host.TypeRegular)
}

// Preflight returns the error that Create would return for an existing object at the path.
// conflict is the same as in [File.Create].
func (f File) Preflight(ctx context.Context, scope *lifecycle.Scope, conflict func(existing []byte) error) error {
	h := scope.Host
	info, err := scope.CachedLstat(ctx, f.Path)
	switch {
	case err != nil:
		return lifecycle.ConnectionError(err)
	case info.Type != host.TypeRegular:
		return hostpath.WrongType(h, f.Path, host.TypeRegular, info.Type)
	}
	_, existing, err := textedit.Read(ctx, h, f.Path)
	if err != nil || existing == nil {
		return err
	}
	return conflict(existing)
}

// Text returns the text with a newline at its end, unless it is empty.
func Text(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

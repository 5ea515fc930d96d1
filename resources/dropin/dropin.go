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
)

// validName are the names that programs read which leave out those of backups and
// of packages' leftovers.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// CheckName refuses names of files that would be there and never be read.
func CheckName(name string) error {
	if len(name) > 200 || !validName.MatchString(name) {
		return errors.New("a name consists of up to 200 letters, digits, dashes and underscores: files with dots, tildes or other characters in their names are ignored")
	}
	return nil
}

// File is one of them.
type File struct {
	Path address.Path
	Mode host.Mode
	// Missing is what to do where there is no such directory.
	Missing string
	// Check judges a complete temporary file before it gets the name; nil is none.
	Check func(ctx context.Context, temp string) error
}

// Access is what a file has beside its text, as a schema shows it.
type Access struct {
	Mode  host.Mode
	Owner string
	Group string
}

// Wanted is how it is to be: of root, by the names that every system has for it.
func (f File) Wanted() Access { return Access{f.Mode, "root", "root"} }

// Of is what is there. Root is told by its numbers.
func Of(info host.FileInfo) Access {
	a := Access{info.Mode, info.Owner, info.Group}
	if info.UID == 0 {
		a.Owner = "root"
	}
	if info.GID == 0 {
		a.Group = "root"
	}
	return a
}

// Unlike names the attributes of a schema in which a file is not as it is to be. It
// may never have been, when it was imported.
func (a Access) Unlike(wanted Access) (names []string) {
	if a.Mode != wanted.Mode {
		names = append(names, "mode")
	}
	if a.Owner != wanted.Owner {
		names = append(names, "owner")
	}
	if a.Group != wanted.Group {
		names = append(names, "group")
	}
	return names
}

func (f File) attributes() host.Attributes {
	return host.Attributes{Mode: new(f.Mode), UID: new(uint32(0)), GID: new(uint32(0))}
}

// Create makes the file. For one that is there already, conflict says what is wrong
// with its text, if anything; its mode and owner are made right.
func (f File) Create(ctx context.Context, h host.Host, text []byte, conflict func(there []byte) error) error {
	err := f.put(ctx, h, text, true)
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	_, there, err := textedit.Read(ctx, h, f.Path)
	if err != nil {
		return err
	}
	if err := conflict(there); err != nil {
		return err
	}
	return f.settle(ctx, h)
}

// Update gives the file this text, and its mode and owner.
func (f File) Update(ctx context.Context, h host.Host, text []byte) error {
	_, there, err := textedit.Read(ctx, h, f.Path)
	switch {
	case err != nil:
		return err
	case there == nil:
		return fmt.Errorf("%s on host %s was removed after the plan was made. Plan and apply again to create it", f.Path, h.Name())
	case bytes.Equal(there, text):
		return f.settle(ctx, h)
	}
	return f.put(ctx, h, text, false)
}

func (f File) put(ctx context.Context, h host.Host, text []byte, exclusive bool) error {
	_, err := h.WriteFile(ctx, string(f.Path), bytes.NewReader(text), host.WriteOptions{
		Attributes: f.attributes(), Exclusive: exclusive, BeforeReplace: f.Check,
	})
	if of, ok := err.(*host.Error); ok { //nolint:errorlint // what is around it would be lost
		if ours, ok := of.Err.(*host.SourceError); ok { //nolint:errorlint // the same
			return ours.Err // in the words of the check
		}
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, hostpath.NoDirectory(ctx, h, f.Path, err, f.Missing))
}

// settle makes mode and owner right, and removes what a killed writer may have left.
func (f File) settle(ctx context.Context, h host.Host) error {
	err := h.RemoveTemp(ctx, string(f.Path))
	var info host.FileInfo
	if err == nil {
		info, err = h.Lstat(ctx, string(f.Path))
	}
	if err == nil && access.Differs(info, f.attributes()) {
		_, err = h.SetAttributes(ctx, string(f.Path), f.attributes())
	}
	return hostpath.Explain(h, f.Path, host.TypeRegular, err)
}

// Remove removes the file, and what a killed writer may have left.
func (f File) Remove(ctx context.Context, h host.Host) error {
	return hostpath.Remove(ctx, h, f.Path, host.TypeRegular)
}

// Preflight checks, while a create is planned, for what Create would fail on. Conflict
// judges the text of a file that exists.
func (f File) Preflight(ctx context.Context, scope *lifecycle.Scope, conflict func(there []byte) error) error {
	h := scope.Host
	info, err := scope.CachedLstat(ctx, f.Path)
	switch {
	case err != nil:
		return lifecycle.IgnoreIfInspectable(err)
	case info.Type != host.TypeRegular:
		return hostpath.Unexpected(h, f.Path, host.TypeRegular, info.Type)
	}
	_, there, err := textedit.Read(ctx, h, f.Path)
	if err != nil || there == nil {
		return err
	}
	return conflict(there)
}

// Text is a text with a newline at its end.
func Text(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

package service

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// unitDirectory is the directory of local units.
const unitDirectory = "/etc/systemd/system/"

// UnitName is the name of a unit, with its suffix.
type UnitName string

// MarshalText implements [encoding.TextMarshaler].
func (n UnitName) MarshalText() ([]byte, error) { return []byte(n), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *UnitName) UnmarshalText(text []byte) error {
	name := string(text)
	switch kind := unitType(name); {
	case kind == "":
		return fmt.Errorf("the name of a unit, such as app.service, must end with its type: .%s", strings.Join(unitTypes, ", ."))
	case stem(name) == "" || stem(name) == "@":
		return errors.New("the name has nothing before its suffix")
	case len(name) > maxUnit:
		return fmt.Errorf("the name is longer than %d characters, the limit for units", maxUnit)
	case strings.Contains(name, "+"):
		return errors.New(`systemd ignores a unit with a plus sign in its name: write \x2b instead, as systemd-escape does`)
	}
	if err := checkCharacters(name); err != nil {
		return err
	}
	*n = UnitName(name)
	return nil
}

// DropInName is the name of a drop-in, without its suffix.
type DropInName string

const dropInSuffix = ".conf"

// MarshalText implements [encoding.TextMarshaler].
func (n DropInName) MarshalText() ([]byte, error) { return []byte(n), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *DropInName) UnmarshalText(text []byte) error {
	name := string(text)
	switch {
	case name == "":
		return errors.New("the name of a drop-in must not be empty; leave it unset for the unit file itself")
	case strings.HasSuffix(name, dropInSuffix):
		return fmt.Errorf("use the name without %s: %s", dropInSuffix, strings.TrimSuffix(name, dropInSuffix))
	case len(name)+len(dropInSuffix) > maxUnit:
		return fmt.Errorf("the name is longer than %d characters, the limit for drop-ins", maxUnit-len(dropInSuffix))
	}
	if err := checkCharacters(name); err != nil {
		return err
	}
	*n = DropInName(name)
	return nil
}

// relative returns the path relative to a directory of units.
func (u *SystemdUnit) relative() string {
	if u.DropIn == nil {
		return string(u.Name)
	}
	return string(u.Name) + ".d/" + string(*u.DropIn) + dropInSuffix
}

func (u *SystemdUnit) path() address.Path { return address.Path(unitDirectory + u.relative()) }

// id returns the import ID without the host.
func (u *SystemdUnit) id() string {
	if u.DropIn == nil {
		return string(u.Name)
	}
	return string(u.Name) + "/" + string(*u.DropIn)
}

// ParseImportID implements [runtime.ImportIDParser]. After the optional host,
// the ID has the unit and, for a drop-in, a slash and the name of the drop-in.
func (*SystemdUnit) ParseImportID(id string) (UnitIdentity, error) {
	named, err := address.ParseNamed(id, func(string) error { return nil })
	if err != nil {
		return UnitIdentity{}, err
	}
	unit, dropIn, has := strings.Cut(named.Name, "/")
	if has {
		var name DropInName
		if err := name.UnmarshalText([]byte(dropIn)); err != nil {
			return UnitIdentity{}, fmt.Errorf("the drop-in %q: %w", dropIn, err)
		}
	}
	var name UnitName
	err = name.UnmarshalText([]byte(unit))
	return UnitIdentity{Host: named.Host, Name: unit, DropIn: &dropIn}, err
}

// Import implements [runtime.Importer].
func (*SystemdUnit) Import(_ context.Context, _ *lifecycle.Scope, id UnitIdentity) (*UnitOutput, error) {
	out := &UnitOutput{Host: id.Host}
	if err := out.Name.UnmarshalText([]byte(id.Name)); err != nil {
		return nil, diag.AttributeErrorf("name", "%w", err)
	}
	if id.DropIn != nil && *id.DropIn != "" {
		out.DropIn = new(DropInName)
		if err := out.DropIn.UnmarshalText([]byte(*id.DropIn)); err != nil {
			return nil, diag.AttributeErrorf("drop_in", "%w", err)
		}
	}
	return out, nil
}

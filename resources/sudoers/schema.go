package sudoers

import (
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sudoers manages a file in `/etc/sudoers.d` with rules for sudo: who may run which
// commands as which user.
//
// New rules are checked with `visudo` before anything is replaced: during the plan if
// sudo is already installed, and again on the host when they are written. Rules that
// `visudo` rejects are an error with its output, and the previous rules stay in
// place. The file has mode 0440 and is owned by root, as sudo requires. Every plan
// detects drift of the rules, the mode and the owner; the next apply repairs it. An
// update fails if the rules were changed after the plan was made: a new plan shows
// that change.
//
// On create, a file with the same rules is adopted. A file with other rules is an
// error. On destroy, the file is removed.
//
// sudo must be installed, and its configuration must include the directory, which is
// the default on most systems.
type Sudoers struct {
	// Host to manage the file on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the file: letters, digits, dashes and underscores. sudo ignores files with
	// other names. Files are read in the order of their names and later rules win, so
	// begin the name with a number to control the order. Changing this forces a new
	// resource.
	Name string

	// Rules in the format of sudoers, such as `deploy ALL=(root) NOPASSWD:
	// /usr/bin/systemctl restart web`. A newline at the end makes no difference.
	Content Content
}

// Output is the state of a managed sudoers file.
type Output struct {
	Host    *string `tf:",computed"`
	Name    string
	Content Content

	// Path of the file.
	Path address.Path
	// Permissions of the file. The next apply restores `0440`.
	Mode host.Mode
	// Owner of the file. The next apply restores `root`.
	Owner string
	// Group of the file. The next apply restores `root`.
	Group string
}

// Content is the text of rules.
type Content string

// SemanticEquals reports whether the contents are equal except for a newline at the
// end.
func (c Content) SemanticEquals(other Content) bool { return c.text() == other.text() }

func (c Content) text() string { return dropin.Text(string(c)) }

var (
	_ runtime.TypedResource[Sudoers, *Output, *lifecycle.Scope]        = (*Sudoers)(nil)
	_ runtime.Constrainer                                              = (*Sudoers)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                          = (*Sudoers)(nil)
	_ runtime.ResourcePlanModifier[Sudoers, *Output, *lifecycle.Scope] = (*Sudoers)(nil)
	_ runtime.Identifier[address.Named, *Output, *lifecycle.Scope]     = (*Sudoers)(nil)
	_ runtime.ImportIDParser[address.Named]                            = (*Sudoers)(nil)
	_ runtime.SemanticEqualer[Content]                                 = Content("")
)

// Resource returns the registration of the type.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Sudoers, *Output]()
}

// SchemaVersion implements [runtime.TypedResource].
func (*Sudoers) SchemaVersion() int { return 0 }

// ReplaceFields implements [runtime.TypedResource].
func (*Sudoers) ReplaceFields() []string { return []string{"host", "name"} }

// Constraints implements [runtime.Constrainer].
func (*Sudoers) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		address.HostRule(),
		runtime.Check("name", "", dropin.CheckName),
		runtime.Check("content", "", func(c Content) error {
			if strings.ContainsAny(string(c), "\x00\r") {
				return errors.New("rules must not contain NUL bytes or carriage returns")
			}
			return nil
		}),
	}
}

// Identity implements [runtime.Identifier].
func (*Sudoers) Identity(_ *lifecycle.Scope, out *Output) address.Named {
	return address.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID implements [runtime.ImportIDParser].
func (*Sudoers) ParseImportID(id string) (address.Named, error) {
	return address.ParseNamed(id, dropin.CheckName)
}

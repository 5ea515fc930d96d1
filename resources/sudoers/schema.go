package sudoers

import (
	"errors"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/target"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Sudoers manages a file in `/etc/sudoers.d`: rules that say who may run what as whom
// through sudo. Rules are judged by `visudo` before anything is replaced: by the plan,
// where sudo is installed already, and on the host again when they are written. What it
// refuses is an error with its words, and the rules that were there stay. The file has
// mode 0440 and belongs to root, as sudo demands; drift of the rules, the mode and the
// owner is found by every plan and repaired.
//
// A file with the same rules that exists already is adopted when the resource is
// created; one with others is an error. sudo has to be installed, and its
// configuration has to include the directory, as it does on most systems.
type Sudoers struct {
	// The host that the file is on: a name in the provider's `hosts`, an alias in
	// the SSH configuration, or a destination such as `root@192.0.2.7:22`. When unset,
	// it is the provider's `default_host`, which is `local` by default. Changing it
	// makes a new file.
	Host *string

	// The name of the file: letters, digits, dashes and underscores. sudo does not read
	// files with other names. They are read in the order of their names, and later rules
	// win, so that a number in front decides. Changing it makes a new file.
	Name string

	// The rules, in the language of sudoers, such as `deploy ALL=(root) NOPASSWD:
	// /usr/bin/systemctl restart web`. A newline at the end makes no difference.
	Content Content
}

// Output is what is known of a file that exists.
type Output struct {
	Host    *string `tf:",computed"`
	Name    string
	Content Content

	// The path of the file.
	Path target.Path
	// The permissions of the file, which are to be `0440`.
	Mode host.Mode
	// The user who owns the file, who is to be `root`.
	Owner string
	// The group of the file, which is to be `root`.
	Group string
}

// Content is the text of rules.
type Content string

// SemanticEquals says that a newline at the end makes no difference.
func (c Content) SemanticEquals(other Content) bool { return c.text() == other.text() }

func (c Content) text() string { return dropin.Text(string(c)) }

var (
	_ runtime.TypedResource[Sudoers, *Output, *target.Hosts]        = (*Sudoers)(nil)
	_ runtime.Constrainer                                           = (*Sudoers)(nil)
	_ runtime.InputValidator[*target.Hosts]                         = (*Sudoers)(nil)
	_ runtime.OutputPlanner[*target.Hosts]                          = (*Sudoers)(nil)
	_ runtime.ResourcePlanModifier[Sudoers, *Output, *target.Hosts] = (*Sudoers)(nil)
	_ runtime.Identifier[target.Named, *Output, *target.Hosts]      = (*Sudoers)(nil)
	_ runtime.ImportIDParser[target.Named]                          = (*Sudoers)(nil)
	_ runtime.SemanticEqualer[Content]                              = Content("")
)

// Resource is the registration of the type.
func Resource() runtime.ResourceRegistration {
	return runtime.MakeResource[Sudoers, *Output, *target.Hosts]()
}

// SchemaVersion is part of [runtime.TypedResource].
func (*Sudoers) SchemaVersion() int { return 0 }

// ReplaceFields is part of [runtime.TypedResource].
func (*Sudoers) ReplaceFields() []string { return []string{"host", "name"} }

// Constraints is part of [runtime.Constrainer].
func (*Sudoers) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		target.HostRule(),
		runtime.Check("name", "", dropin.CheckName),
		runtime.Check("content", "", func(c Content) error {
			if strings.ContainsAny(string(c), "\x00\r") {
				return errors.New("rules have neither NUL bytes nor carriage returns")
			}
			return nil
		}),
	}
}

// Identity is part of [runtime.Identifier].
func (*Sudoers) Identity(_ *target.Hosts, out *Output) target.Named {
	return target.Named{Host: out.Host, Name: out.Name}
}

// ParseImportID is part of [runtime.ImportIDParser].
func (*Sudoers) ParseImportID(id string) (target.Named, error) {
	return target.ParseNamed(id, dropin.CheckName)
}

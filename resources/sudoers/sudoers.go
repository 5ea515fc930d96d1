// Package sudoers is the resource posix_sudoers: a file in /etc/sudoers.d.
//
// It decides how rules are checked before a file is replaced, when an existing file is
// adopted, and how to show content that a Terraform string cannot contain.
//
// Invariants: rules that visudo rejects are never written to a file that sudo reads; a file that
// the provider writes belongs to root and is not writable by other users at any time.
//
// Elsewhere: package dropin writes the file.
package sudoers

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/dropin"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
	"github.com/posixform/terraform-provider-posix/runtime"
)

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Sudoers Output

// Sudoers manages a file in `/etc/sudoers.d` with rules for sudo: who may run which
// commands as which user.
//
// New rules are checked with `visudo` on the host before anything is replaced: during
// the plan if sudo is already installed, and again when they are written. Rules that
// `visudo` rejects are an error with its output, and the previous rules stay in place.
// The file has mode `0440` and is owned by root, as sudo requires. Every plan detects
// drift of the rules, the mode, the owner and the group; the next apply repairs it. An update
// fails if it would replace rules that were changed after the plan was made: a new plan
// shows that change.
//
// On create, a file with the same rules is adopted. A file with different rules is an
// error: import it to see in a plan what would change, or choose a different name. On
// destroy, the file is removed.
//
// sudo must be installed, and its configuration must include the directory, as it
// does by default on most distributions. The provider must run as root on the host.
type Sudoers struct {
	// Host to manage the file on: a key of the provider's `hosts`, an alias from the SSH
	// configuration, or a destination such as `root@192.0.2.7:22`. Defaults to the
	// provider's `default_host`. Changing this forces a new resource.
	Host *string

	// Name of the file: up to 200 letters, digits, dashes and underscores. sudo ignores
	// files with a dot in their names. Files are read in the order of their names and later
	// rules take precedence, so begin the name with a number to control the order. Changing
	// this forces a new resource.
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
	// Permissions of the file. If they differ from `0440`, the next apply changes them
	// back.
	Mode host.Mode
	// Owner of the file. If it differs from `root`, the next apply changes it back.
	Owner string
	// Group of the file. If it differs from `root`, the next apply changes it back.
	Group string
}

// Content is the text of rules.
type Content string

// SemanticEquals reports whether the contents are equal except for a newline at the
// end. An empty content differs from a newline.
func (c Content) SemanticEquals(other Content) bool { return c.text() == other.text() }

func (c Content) text() string { return dropin.Text(string(c)) }

var (
	_ runtime.Constrainer                                              = (*Sudoers)(nil)
	_ runtime.OutputPlanner[*lifecycle.Scope]                          = (*Sudoers)(nil)
	_ runtime.ResourcePlanModifier[Sudoers, *Output, *lifecycle.Scope] = (*Sudoers)(nil)
	_ runtime.Identifier[address.Named, *Output, *lifecycle.Scope]     = (*Sudoers)(nil)
	_ runtime.ImportIDParser[address.Named]                            = (*Sudoers)(nil)
	_ runtime.SemanticEqualer[Content]                                 = Content("")
)

// Resource returns the registration of posix_sudoers.
func Resource() runtime.ResourceRegistration {
	return lifecycle.Resource[Sudoers, *Output]()
}

// ReplaceFields implements [runtime.ReplaceDeclarer].
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

// Dir is the directory of the files with rules that sudo reads.
const Dir = "/etc/sudoers.d"

func (s *Sudoers) path() address.Path { return address.Path(Dir + "/" + s.Name) }

func (s *Sudoers) file(h host.Host) dropin.File {
	return dropin.File{
		Path: s.path(), Mode: 0o440, Missing: "install sudo first, for example with posix_package",
		Check: func(ctx context.Context, temp string) error {
			_, err := remotecmd.Run(ctx, h, "visudo", "-c", "-f", temp)
			if remotecmd.IsMissing(err) {
				return fmt.Errorf("%w, which checks rules before they are written: install sudo first, for example with posix_package", err)
			}
			return s.rejected(h, err, temp)
		},
	}
}

// rejected returns the error for rules that visudo rejects, with the output of visudo, or err if err
// has a different cause. place is the name of the checked file in the output.
func (s *Sudoers) rejected(h host.Host, err error, place string) error {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	if !is || failed.ExitCode != 1 {
		return err
	}
	output := strings.ReplaceAll(strings.TrimSpace(failed.Stderr+failed.Stdout), place, "line ")
	return diag.AttributeErrorf("content", "visudo on host %s rejects the rules, so %s is not changed. Output of visudo:\n\n%s",
		h.Name(), s.path(), strings.ReplaceAll(output, "line :", "line "))
}

// checkRules returns an error if visudo rejects planned rules or the connection to the host
// fails. It returns nil if the host or the user cannot run visudo: the same apply may install
// sudo, and not every user has permission to run visudo.
func (s *Sudoers) checkRules(ctx context.Context, h host.Host) error {
	_, err := remotecmd.Call{Args: []string{"visudo", "-c", "-f", "-"}, Stdin: s.Content.text()}.Run(ctx, h)
	if failed, is := errors.AsType[*remotecmd.Failed](err); is && strings.Contains(failed.Stderr, "stdin:") {
		return s.rejected(h, err, "stdin")
	}
	return lifecycle.ConnectionError(err)
}

// Place implements [lifecycle.Object].
func (s *Sudoers) Place() (*string, lifecycle.Key) { return s.Host, s.path() }

// RootOnly implements [lifecycle.RootOnly].
func (*Sudoers) RootOnly() string { return "sudo rules" }

// Preflight implements [lifecycle.Preflighter].
func (s *Sudoers) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if err := s.checkRules(ctx, scope.Host); err != nil || scope.Owned() {
		return err
	}
	return s.file(scope.Host).Preflight(ctx, scope, s.conflict(scope.Host))
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. It plans the repair of
// outputs that differ from what sudo requires, and checks changed rules with visudo, so
// that the plan fails if visudo rejects them.
func (*Sudoers) ModifyResourcePlan(req runtime.ResourcePlanRequest[Sudoers, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is := req.PriorOutputs
	req.PriorInputs.file(nil).PlanRepair(dropin.Access{Mode: is.Mode, Owner: is.Owner, Group: is.Group}, resp)
	s := &req.CurrentInputs
	if req.Config == nil || s.Content.SemanticEquals(req.PriorInputs.Content) {
		return nil
	}
	return req.Config.Preflight(req.Context(), func() error { return s.checkRules(req.Context(), req.Config.Host) })
}

// PlanOutputs implements [runtime.OutputPlanner].
func (s *Sudoers) PlanOutputs(_ context.Context, scope *lifecycle.Scope, plan *runtime.OutputPlan) error {
	s.file(scope.Host).PlanOutputs(plan)
	return nil
}

// conflict returns a function that returns an error for existing rules that differ from the
// configured ones.
func (s *Sudoers) conflict(h host.Host) func([]byte) error {
	return func(existing []byte) error {
		if newContent(existing).SemanticEquals(s.Content) {
			return nil
		}
		return lifecycle.ConflictErrorf("name", "%s already exists on host %s with different rules. "+
			"To manage it, import it (id %q); a plan then shows what would change. Or choose a different name", s.path(), h.Name(), h.Name()+":"+s.Name)
	}
}

// Create implements [runtime.TypedResource].
func (s *Sudoers) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	if err := s.file(h).Create(ctx, h, []byte(s.Content.text()), s.conflict(h)); err != nil {
		return nil, err
	}
	return s.output(h), nil
}

// Read implements [runtime.TypedResource].
func (s *Sudoers) Read(ctx context.Context, scope *lifecycle.Scope, _ *Output) (*Output, error) {
	h := scope.Host
	existing, is, err := s.file(h).Read(ctx, h)
	if err != nil {
		return nil, err
	}
	out := s.output(h)
	out.Content = newContent(existing)
	out.Mode, out.Owner, out.Group = is.Mode, is.Owner, is.Group
	return out, nil
}

// Update implements [runtime.TypedResource].
func (s *Sudoers) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[Sudoers, *Output]) (*Output, error) {
	h := scope.Host
	shown := func(existing []byte) bool { return newContent(existing).SemanticEquals(prior.Observed.Content) }
	if err := s.file(h).Update(ctx, h, []byte(s.Content.text()), shown); err != nil {
		return nil, err
	}
	return s.output(h), nil
}

// Delete implements [runtime.TypedResource].
func (s *Sudoers) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	return s.file(scope.Host).Remove(ctx, scope.Host)
}

func (s *Sudoers) output(h host.Host) *Output {
	wanted := s.file(h).Wanted()
	return &Output{
		Host: new(h.Name()), Name: s.Name, Content: s.Content,
		Path: s.path(), Mode: wanted.Mode, Owner: wanted.Owner, Group: wanted.Group,
	}
}

// newContent returns the content of a file in the form for the state. It quotes a text that
// the state cannot store unchanged, and ends it with a carriage return and a newline, so that it differs
// from every valid configuration.
func newContent(existing []byte) Content {
	text := string(existing)
	if !address.IsText(text) {
		return Content(strconv.QuoteToASCII(text) + "\r\n")
	}
	return Content(text)
}

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

// rejected returns the error for rules that visudo rejects, with its output. place is the
// name of the checked file in that output.
func (s *Sudoers) rejected(h host.Host, err error, place string) error {
	failed, is := errors.AsType[*remotecmd.Failed](err)
	if !is || failed.ExitCode != 1 {
		return err
	}
	output := strings.ReplaceAll(strings.TrimSpace(failed.Stderr+failed.Stdout), place, "line ")
	return diag.AttributeErrorf("content", "visudo on host %s rejects the rules. They are not written, and %s is not changed. Its output:\n\n%s",
		h.Name(), s.path(), strings.ReplaceAll(output, "line :", "line "))
}

// checkRules returns an error if visudo rejects planned rules. It returns nil if visudo cannot
// be run: the same apply may install sudo, and not every user has permission to run visudo.
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

// ModifyResourcePlan implements [runtime.ResourcePlanModifier]. An update repairs the
// outputs that differ from what sudo requires.
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
		return lifecycle.ConflictErrorf("name", "%s already exists on host %s with other rules. "+
			"To manage it, import it (id %q); a plan then shows what would change. Or choose another name", s.path(), h.Name(), h.Name()+":"+s.Name)
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
// cannot be configured, and ends it with a carriage return, so that it differs from every
// valid configuration.
func newContent(existing []byte) Content {
	text := string(existing)
	if !address.IsText(text) {
		return Content(strconv.QuoteToASCII(text) + "\r\n")
	}
	return Content(text)
}

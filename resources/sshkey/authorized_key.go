package sshkey

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// line returns the configured line. The configuration was validated before.
func (k *AuthorizedKey) line() line {
	l, _ := parsePublic(string(k.Key))
	l.options = k.Options
	return l
}

// objectKey returns the key that identifies the object on its host.
func (k *AuthorizedKey) objectKey() lifecycle.Key {
	return lifecycle.NameKey("authorized_key", k.User+"/"+k.line().fingerprint())
}

// Place implements [lifecycle.Object].
func (k *AuthorizedKey) Place() (*string, lifecycle.Key) { return k.Host, k.objectKey() }

// Preflight implements [lifecycle.Preflighter].
func (k *AuthorizedKey) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if errors.Is(err, errNoUser) && !scope.PlannedAccount(lifecycle.AccountUser, k.User) {
		lifecycle.WarnMissing(ctx, "user", err)
	}
	if err != nil {
		return lifecycle.ConnectionError(err)
	}
	was, err := a.read(ctx)
	if errors.Is(err, errRunAs) {
		runtime.Warn(ctx, "user", "Cannot run commands as the user", err.Error()+". Until the provider can run commands as the user, the apply of this resource fails.")
	}
	if err != nil {
		return lifecycle.PreflightError(err)
	}
	return k.checkConflict(h, was.text)
}

// checkConflict returns an error if the file has the key with different options or a different
// comment.
func (k *AuthorizedKey) checkConflict(h host.Host, text []byte) error {
	is := k.line()
	for _, there := range findLines(text, is.fingerprint()) {
		if there.String() != is.String() {
			return lifecycle.ConflictErrorf("key", "the user %s of host %s already has this key with different options or a different comment. "+
				"To manage it, import it (id %q); a plan then shows what would change", k.User, h.Name(), h.Name()+":"+k.User+"/"+is.fingerprint())
		}
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner].
func (k *AuthorizedKey) PlanOutputs(_ context.Context, _ *lifecycle.Scope, plan *runtime.OutputPlan) error {
	plan.Set("fingerprint", k.line().fingerprint())
	plan.Set("intact", true)
	return nil
}

// Create implements [runtime.TypedResource].
func (k *AuthorizedKey) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err != nil {
		return nil, err
	}
	err = a.edit(ctx, scope, func(was content) ([]byte, error) {
		if err := k.checkConflict(h, was.text); err != nil {
			return nil, err
		}
		return setLine(was.text, k.line()), nil
	})
	if err != nil {
		return nil, err
	}
	return k.output(h), nil
}

// Read implements [runtime.TypedResource].
func (k *AuthorizedKey) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	fingerprint := prior.Fingerprint // also set by an import
	var was content
	a, err := lookup(ctx, h, k.User)
	if err == nil {
		was, err = a.read(ctx)
	}
	if err != nil && !homeMissing(err) {
		return nil, err
	}
	matches := findLines(was.text, fingerprint)
	if len(matches) == 0 {
		return nil, fmt.Errorf("%w: no key with the fingerprint %s is authorized for %s on host %s", runtime.ErrNotFound, fingerprint, k.User, h.Name())
	}
	// sshd uses the first line, unless the options of that line reject the login.
	first := matches[0]
	out := k.output(h)
	out.Fingerprint = fingerprint
	out.Key, out.Options = first.shown()
	out.Intact = was.protected && len(matches) == 1 && first.is == first.String()
	return out, nil
}

// shown returns the key and the options of the line. Text that the state cannot store is quoted,
// and ends with a carriage return, which a configured option cannot have.
func (l line) shown() (PublicKey, []option) {
	options := []option{}
	for _, o := range l.options {
		options = append(options, option(displayText(string(o))))
	}
	return PublicKey(line{key: l.key, comment: displayText(l.comment)}.text()), options
}

// Update implements [runtime.TypedResource].
func (k *AuthorizedKey) Update(ctx context.Context, scope *lifecycle.Scope, prior runtime.Prior[AuthorizedKey, *Output]) (*Output, error) {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err != nil {
		return nil, err
	}
	err = a.edit(ctx, scope, func(was content) ([]byte, error) {
		matches := findLines(was.text, k.line().fingerprint())
		if len(matches) == 0 {
			return nil, fmt.Errorf("the key was removed from %s on host %s after the plan was made. Plan and apply again to add it", a.file(), h.Name())
		}
		if len(matches) > 1 && prior.Observed.Intact {
			return nil, lifecycle.PartChangedAfterPlan("key", h, fmt.Sprintf("the number of lines of the key %s in %s", k.line().fingerprint(), a.file()))
		}
		key, options := matches[0].shown()
		if matches[0].String() != k.line().String() && !(key.SemanticEquals(prior.Observed.Key) && slices.Equal(options, prior.Observed.Options)) {
			return nil, lifecycle.PartChangedAfterPlan("key", h, fmt.Sprintf("the line of the key %s in %s", k.line().fingerprint(), a.file()))
		}
		return setLine(was.text, k.line()), nil
	})
	if err != nil {
		return nil, err
	}
	return k.output(h), nil
}

// Delete implements [runtime.TypedResource].
func (k *AuthorizedKey) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err == nil {
		err = a.edit(ctx, scope, func(was content) ([]byte, error) {
			fingerprint := k.line().fingerprint()
			if len(findLines(was.text, fingerprint)) == 0 {
				return nil, nil
			}
			return removeLines(was.text, fingerprint), nil
		})
	}
	if err != nil && !homeMissing(err) {
		return err
	}
	return nil
}

func (k *AuthorizedKey) output(h host.Host) *Output {
	return &Output{Host: new(h.Name()), User: k.User, Key: k.Key, Options: k.Options, Fingerprint: k.line().fingerprint(), Intact: true}
}

// displayText returns text in a form that the state can store.
func displayText(text string) string {
	if !address.IsText(text) {
		return strconv.QuoteToASCII(text) + "\r"
	}
	return text
}

package sshkey

import (
	"context"
	"fmt"
	"strconv"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// line is as it is to be. What is configured was checked before.
func (k *AuthorizedKey) line() line {
	l, _ := parsePublic(string(k.Key))
	l.options = k.Options
	return l
}

// place is that of the key, for what a run remembers.
func (k *AuthorizedKey) place() address.Path {
	return lifecycle.NameKey("authorized_key", k.User+"/"+k.line().fingerprint())
}

// Place is part of [lifecycle.Object].
func (k *AuthorizedKey) Place() (*string, lifecycle.Key) { return k.Host, k.place() }

// Preflight is part of [lifecycle.Preflighter].
func (k *AuthorizedKey) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	if scope.Owned() {
		return nil
	}
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	was, err := a.read(ctx)
	if err != nil {
		return lifecycle.IgnoreIfInspectable(err)
	}
	return k.conflict(h, was.text)
}

// conflict says what is wrong with lines of the key that are there already.
func (k *AuthorizedKey) conflict(h host.Host, text []byte) error {
	is := k.line()
	for _, there := range find(text, is.fingerprint()) {
		if there.String() != is.String() {
			return diag.AttributeErrorf("key", "the user %s of host %s has this key already, with other options or another comment than configured. "+
				"To manage it, import it (id %q); a plan then shows what would change", k.User, h.Name(), h.Name()+":"+k.User+"/"+is.fingerprint())
		}
	}
	return nil
}

// PlanOutputs is part of [runtime.OutputPlanner].
func (k *AuthorizedKey) PlanOutputs(_ context.Context, scope *lifecycle.Scope, plan *runtime.OutputPlan) error {
	h := scope.Host
	plan.Set("host", h.Name())
	plan.Set("fingerprint", k.line().fingerprint())
	plan.Set("intact", true)
	return nil
}

// Create is part of [runtime.TypedResource].
func (k *AuthorizedKey) Create(ctx context.Context, scope *lifecycle.Scope) (*Output, error) {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err != nil {
		return nil, err
	}
	err = a.edit(ctx, scope, func(was content) ([]byte, error) {
		if err := k.conflict(h, was.text); err != nil {
			return nil, err
		}
		return put(was.text, k.line()), nil
	})
	if err != nil {
		return nil, err
	}
	return k.output(h), nil
}

// Read is part of [runtime.TypedResource].
func (k *AuthorizedKey) Read(ctx context.Context, scope *lifecycle.Scope, prior *Output) (*Output, error) {
	h := scope.Host
	fingerprint := prior.Fingerprint // it is known of what is imported, too
	var was content
	a, err := lookup(ctx, h, k.User)
	if err == nil {
		was, err = a.read(ctx)
	}
	if err != nil && !gone(err) {
		return nil, err
	}
	spots := find(was.text, fingerprint)
	if len(spots) == 0 {
		return nil, fmt.Errorf("%w: no key with the fingerprint %s may log in as %s on host %s", runtime.ErrNotFound, fingerprint, k.User, h.Name())
	}
	// sshd goes by the first line, and what is shown of a text that state cannot keep
	// is none that can be configured.
	first := spots[0]
	out := k.output(h)
	out.Fingerprint = fingerprint
	out.Key = PublicKey(line{key: first.key, comment: shown(first.comment)}.text())
	out.Options = []option{}
	for _, o := range first.options {
		out.Options = append(out.Options, option(shown(string(o))))
	}
	out.Intact = was.closed && len(spots) == 1 && first.is == first.String()
	return out, nil
}

// Update is part of [runtime.TypedResource].
func (k *AuthorizedKey) Update(ctx context.Context, scope *lifecycle.Scope, _ runtime.Prior[AuthorizedKey, *Output]) (*Output, error) {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err != nil {
		return nil, err
	}
	err = a.edit(ctx, scope, func(was content) ([]byte, error) {
		if len(find(was.text, k.line().fingerprint())) == 0 {
			return nil, fmt.Errorf("the key was removed from %s on host %s after the plan was made. Plan and apply again to add it", a.file(), h.Name())
		}
		return put(was.text, k.line()), nil
	})
	if err != nil {
		return nil, err
	}
	return k.output(h), nil
}

// Delete is part of [runtime.TypedResource].
func (k *AuthorizedKey) Delete(ctx context.Context, scope *lifecycle.Scope, _ *Output) error {
	h := scope.Host
	a, err := lookup(ctx, h, k.User)
	if err == nil {
		err = a.edit(ctx, scope, func(was content) ([]byte, error) {
			fingerprint := k.line().fingerprint()
			if len(find(was.text, fingerprint)) == 0 {
				return nil, nil
			}
			return remove(was.text, fingerprint), nil
		})
	}
	if err != nil && !gone(err) {
		return err
	}
	return nil
}

func (k *AuthorizedKey) output(h host.Host) *Output {
	return &Output{Host: new(h.Name()), User: k.User, Key: k.Key, Options: k.Options, Fingerprint: k.line().fingerprint(), Intact: true}
}

// shown is a text as state can keep it.
func shown(text string) string {
	if !address.IsText(text) {
		return strconv.QuoteToASCII(text) + "\r"
	}
	return text
}

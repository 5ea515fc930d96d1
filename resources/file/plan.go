package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/access"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// ValidateInputs implements [runtime.InputValidator].
func (f *File) ValidateInputs(ctx context.Context, scope *lifecycle.Scope) error {
	b, errBody := f.body()
	errAccess := scope.Preflight(ctx, func() error {
		owner, group := access.Configured(ctx, f.Owner, f.Group)
		_, err := access.ResolveForPlan(ctx, scope, f.Mode, owner, group)
		return err
	})
	if err := errors.Join(errBody, errAccess); err != nil {
		return err
	}
	if b.isUnset() {
		if runtime.PlansCreate(ctx) {
			return errNoContent
		}
		return nil
	}
	return b.check()
}

// Place implements [lifecycle.Object].
func (f *File) Place() (*string, lifecycle.Key) { return f.Host, f.Path }

// Preflight implements [lifecycle.Preflighter].
func (f *File) Preflight(ctx context.Context, scope *lifecycle.Scope) error {
	b, err := f.body()
	if err != nil || scope.Owned() {
		return err
	}
	return f.checkConflict(ctx, scope, b, nil)
}

// checkConflict returns the error that Create would return for an existing object, or warns
// that Create will replace it. A file with the desired content causes neither, nor does a file whose
// digest equals the argument was, because the plan shows how that file changes.
func (f *File) checkConflict(ctx context.Context, scope *lifecycle.Scope, b body, was *string) error {
	h := scope.Host
	info, err := scope.CachedLstat(ctx, f.Path)
	switch {
	case err != nil:
		return lifecycle.ConnectionError(err)
	case info.Type != host.TypeRegular && !f.writeOptions().overwrites():
		return hostpath.WrongType(h, f.Path, host.TypeRegular, info.Type)
	case info.Type != host.TypeRegular:
		return hostpath.PlanRemoveOther(ctx, h, f.Path, host.TypeRegular, info.Type, "write_options")
	}
	switch same, _, err := f.identical(ctx, h, b); {
	case errors.Is(err, fs.ErrPermission):
		return hostpath.Explain(h, f.Path, host.TypeRegular, err)
	case err != nil || same:
		return lifecycle.ConnectionError(err) // a file that was just removed or changed: Create returns the error
	case f.hasDigest(ctx, h, was):
		return nil
	case f.writeOptions().overwrites():
		consequence := "will be lost"
		if f.writeOptions().keepsBackup() {
			consequence = "will be kept as a backup"
		}
		runtime.Warn(ctx, "write_options", "Existing content will be replaced",
			fmt.Sprintf("%s exists on host %s with %s of different content, which %s.", f.Path, h.Name(), diag.Count(info.Size, "byte"), consequence))
		return nil
	default:
		return f.conflict(h)
	}
}

// identical reports whether the file at the path has the desired content, and returns
// the fingerprint of the desired content.
func (f *File) identical(ctx context.Context, h host.Host, b body) (bool, fingerprint, error) {
	want, err := b.fingerprint(ctx)
	if err != nil {
		return false, fingerprint{}, err
	}
	info, err := h.Lstat(ctx, string(f.Path))
	switch {
	case err != nil:
		return false, want, err
	case info.Type != host.TypeRegular:
		return false, want, &host.TypeError{Want: host.TypeRegular, Got: info.Type}
	case info.Size != want.size:
		return false, want, nil
	}
	_, sum, err := host.Digest(ctx, h, string(f.Path))
	return sum == want.sum, want, err
}

// hasDigest reports whether the content of the file has the digest. It reports false if
// digest is nil or the file cannot be read.
func (f *File) hasDigest(ctx context.Context, h host.Host, digest *string) bool {
	if digest == nil {
		return false
	}
	_, sum, err := host.Digest(ctx, h, string(f.Path))
	return err == nil && fingerprint{sum: sum}.hex() == *digest
}

func (f *File) conflict(h host.Host) error {
	return lifecycle.ConflictErrorf("path", "%s already exists on host %s with different content. "+
		"To manage the file as it is, import it (id %q); to replace its content, set write_options = { overwrite = true }",
		f.Path, h.Name(), h.Name()+":"+string(f.Path))
}

// ModifyResourcePlan implements [runtime.ResourcePlanModifier].
func (*File) ModifyResourcePlan(req runtime.ResourcePlanRequest[File, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	err := planContent(req, resp)
	if req.PriorInputs.Host == nil {
		err = errors.Join(err, planMove(req, resp))
	}
	return err
}

// planMove plans the update of a file that was moved from a provider whose state has no
// host.
func planMove(req runtime.ResourcePlanRequest[File, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	f := &req.CurrentInputs
	ctx := req.Context()
	return req.Config.PlanMove(ctx, resp, req.PriorInputs.Path, f.Path, func() error {
		_, err := lifecycle.AdoptMoved(ctx, req.Config.Host, f.Path, host.TypeRegular, func(host.FileInfo) error {
			b, err := f.body()
			if err != nil || b.isUnset() {
				return err
			}
			return f.checkConflict(ctx, req.Config, b, req.PriorOutputs.SHA256)
		})
		return err
	})
}

// planContent plans whether the digest changes. It reads a source, so that a change of its
// content is planned even if the path is the same.
func planContent(req runtime.ResourcePlanRequest[File, *Output, *lifecycle.Scope], resp *runtime.ResourcePlanResponse) error {
	is, was, old := req.CurrentInputs, req.PriorInputs, req.PriorOutputs
	if is.isWriteOnly() {
		if old.SHA256 != nil {
			resp.MarkOutputUnknown("sha256")
		}
		return nil
	}
	if equalNonNil(is.Content, was.Content) {
		// ignore_changes may ignore the content: keep the digest of the current content.
		resp.KeepOutput("sha256")
		return nil
	}
	b, err := is.body()
	if err != nil {
		return err
	}
	if b.isUnset() {
		resp.KeepOutput("sha256")
		return nil
	}
	want, err := b.fingerprint(req.Context())
	if err != nil {
		return err
	}
	if old.SHA256 != nil && *old.SHA256 == want.hex() {
		resp.KeepOutput("sha256")
	} else {
		resp.MarkOutputUnknown("sha256")
	}
	return nil
}

// PlanOutputs implements [runtime.OutputPlanner]. It plans the digest of configured content
// and of a source. If a source changes before it is copied, Terraform reports an
// inconsistent final plan, or the copy fails.
func (f *File) PlanOutputs(ctx context.Context, scope *lifecycle.Scope, plan *runtime.OutputPlan) error {
	if f.isWriteOnly() {
		plan.Set("sha256", nil)
		return nil
	}
	b, err := f.body()
	if err != nil || b.isUnset() {
		return err
	}
	found, err := b.fingerprint(ctx)
	if err != nil {
		return err
	}
	if b.sources != nil {
		b.sources.planned.Set(scope.Host.Name(), f.Path, found)
	}
	plan.Set("sha256", found.hex())
	return nil
}

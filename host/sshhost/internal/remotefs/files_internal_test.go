package remotefs

import (
	"context"
	"errors"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
)

// lostNamesBackend has directories of a user whose name cannot be looked up.
type lostNamesBackend struct{ countingBackend }

func (b *lostNamesBackend) Lstat(context.Context, string) (host.FileInfo, error) {
	return host.FileInfo{Type: host.TypeDirectory, UID: 1000, GID: 1001}, nil
}

func (b *lostNamesBackend) Mkdir(ctx context.Context, path string, _ host.Attributes) (host.FileInfo, error) {
	return b.Lstat(ctx, path)
}

func (b *lostNamesBackend) Cause(err error) error { return err }

func (b *lostNamesBackend) UserName(ctx context.Context, uid uint32) (string, error) {
	if uid == 1000 {
		return "", host.ErrLost
	}
	return b.countingBackend.UserName(ctx, uid)
}

// TestNamesAfterChange checks that a change succeeds if the name of the object's owner cannot be looked up, and that
// Lstat of the object then fails.
func TestNamesAfterChange(t *testing.T) {
	t.Parallel()
	b := &lostNamesBackend{}
	f := New("web1", b, b, nil, nil)
	if info, err := f.Mkdir(t.Context(), "/dir", host.Attributes{}); err != nil || info.Owner != "1000" || info.Group != "1001" {
		t.Errorf("the new directory is %+v, error %v, want owner 1000 and group 1001", info, err)
	}
	if info, err := f.Lstat(t.Context(), "/dir"); !errors.Is(err, host.ErrLost) {
		t.Errorf("the directory is %+v, error %v, want error %v", info, err, host.ErrLost)
	}
}

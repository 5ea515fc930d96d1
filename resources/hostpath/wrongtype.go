package hostpath

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// WrongTypeError is the error of an operation on a path at which another process has put an
// object of another type than the resource manages. Nothing was changed. Package lifecycle
// handles it as drift: a read counts the managed object as deleted, and a delete keeps the
// other object.
type WrongTypeError struct {
	Host string
	Path string
	Want host.FileType
	Got  host.FileType // TypeUnknown if the host does not report it
	// Remedy is what to do before the next apply.
	Remedy string
}

func (e *WrongTypeError) Error() string {
	return e.Found() + ". It is neither followed nor replaced: " + e.Remedy
}

// Found returns what is at the path, as a sentence without a period.
func (e *WrongTypeError) Found() string {
	at := fmt.Sprintf("%s on host %s is ", host.QuotePath(e.Path), e.Host)
	if e.Got == host.TypeUnknown {
		return at + "not a " + e.Want.String()
	}
	return at + "a " + e.Got.String() + ", but this resource manages a " + e.Want.String()
}

// WrongType returns the error for an object of type got at a path at which a resource manages
// an object of type want.
func WrongType(h host.Host, at address.Path, want, got host.FileType) error {
	remedy := "move it away and apply again, or choose another path"
	if manager, ok := managers[got]; ok {
		remedy = "move it away and apply again, choose another path, or manage it with " + manager
	}
	return &WrongTypeError{Host: h.Name(), Path: string(at), Want: want, Got: got, Remedy: remedy}
}

// managers are the resource types that manage objects of a type.
var managers = map[host.FileType]string{
	host.TypeRegular:   "posix_file",
	host.TypeDirectory: "posix_directory",
	host.TypeSymlink:   "posix_symlink",
}

// PlanRemoveOther warns that a create calls [RemoveOther], as the attribute with this name allows, or
// returns the error that RemoveOther would return for a directory that is not empty.
func PlanRemoveOther(ctx context.Context, h host.Host, at address.Path, want, got host.FileType, attribute string) error {
	if got == host.TypeDirectory {
		entries, err := h.ReadDir(ctx, string(at))
		if len(entries) > 0 {
			err = notEmpty(h, at, want)
		}
		if err != nil {
			return err
		}
	}
	runtime.Warn(ctx, attribute, "Existing object will be replaced", fmt.Sprintf("%s on host %s is a %s, which will be removed.", at, h.Name(), got))
	return nil
}

// RemoveOther removes an object of type got, unless it is a directory that is not empty, so
// that one of type want can be created at the path. If the path has an object of yet another
// type by then, it is kept and an error.
func RemoveOther(ctx context.Context, h host.Host, at address.Path, want, got host.FileType) error {
	var err error
	if got == host.TypeDirectory {
		err = h.Rmdir(ctx, string(at))
	} else {
		err = host.RemoveOnly(ctx, h, string(at), got)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, host.ErrNotEmpty):
		return notEmpty(h, at, want)
	}
	return err
}

func notEmpty(h host.Host, at address.Path, want host.FileType) error {
	return &WrongTypeError{
		Host: h.Name(), Path: string(at), Want: want, Got: host.TypeDirectory,
		Remedy: "overwrite does not remove a directory that is not empty. Move it away and apply again, or choose another path",
	}
}

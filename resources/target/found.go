package target

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/posixform/terraform-provider-posix/host"
)

// Unexpected is the error about something that stands where an object of
// another kind is managed.
func Unexpected(h host.Host, path Path, want, got host.FileType) error {
	return fmt.Errorf("%s on host %s is a %s, and a %s is managed here. It is neither followed nor replaced: "+
		"move it away and apply again, or have the resource forgotten by the command state rm",
		path, h.Name(), got, want)
}

// Explain puts the remedy to an error of an operation on path, where want is
// managed. A [*host.Error] says where and why already.
func Explain(h host.Host, path Path, want host.FileType, err error) error {
	if wrong, ok := errors.AsType[*host.TypeError](err); ok {
		return Unexpected(h, path, want, wrong.Got)
	}
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w. On host %s, the user that the provider works as must be allowed to do this", err, h.Name())
	}
	return err
}

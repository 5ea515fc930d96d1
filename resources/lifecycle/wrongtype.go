package lifecycle

import (
	"context"
	"strings"

	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// isWrongType reports whether err has no other cause than objects of another type than the
// managed ones.
func isWrongType(err error) bool { return len(wrongTypes(err)) > 0 }

// PreflightError returns the error of a check that reads an object: err if it is about an object
// of another type, or as [ConnectionError].
func PreflightError(err error) error {
	if isWrongType(err) {
		return err
	}
	return ConnectionError(err)
}

// wrongTypes returns the errors about objects of another type in err, or nil if err also has
// another cause.
func wrongTypes(err error) []*hostpath.WrongTypeError {
	switch err := err.(type) { //nolint:errorlint // each level of the chain is visited by the recursion
	case *hostpath.WrongTypeError:
		return []*hostpath.WrongTypeError{err}
	case interface{ Unwrap() []error }:
		var all []*hostpath.WrongTypeError
		for _, part := range err.Unwrap() {
			found := wrongTypes(part)
			if found == nil {
				return nil
			}
			all = append(all, found...)
		}
		return all
	case interface{ Unwrap() error }:
		return wrongTypes(err.Unwrap())
	}
	return nil
}

// warnWrongType warns of the objects that the errors are about. consequence is a sentence.
func warnWrongType(ctx context.Context, err error, summary, consequence string) {
	var found []string
	for _, wrong := range wrongTypes(err) {
		found = append(found, wrong.Found()+".")
	}
	runtime.Warn(ctx, "", summary, strings.Join(append(found, consequence), " "))
}

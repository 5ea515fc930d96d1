package lifecycle

import (
	"context"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/hostpath"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// isWrongType reports whether the only cause of err is that objects do not have the type of the managed ones.
func isWrongType(err error) bool { return len(wrongTypes(err)) > 0 }

// PreflightError returns the error of a check that reads an object: err if it is about an object
// of another type, and the result of [ConnectionError] otherwise.
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

// warnWrongType warns about the objects that the errors are about. consequence is a sentence.
func warnWrongType(ctx context.Context, err error, summary, consequence string) {
	var found []string
	for _, wrong := range wrongTypes(err) {
		found = append(found, wrong.Found()+".")
	}
	runtime.Warn(ctx, "", summary, strings.Join(append(found, consequence), " "))
}

// ConflictErrorf returns the error of a create that finds an object that it must not adopt.
// The error is about the attribute that names the object.
func ConflictErrorf(attribute, format string, args ...any) error {
	return diag.Diagnostic{Summary: "Object already exists", Detail: fmt.Sprintf(format, args...), Path: cty.GetAttrPath(attribute)}
}

// ChangedAfterPlan returns the error of an update that finds a file with content that its
// plan did not show. The error is about the attribute that names the object.
func ChangedAfterPlan(attribute string, h host.Host, path address.Path) error {
	return PartChangedAfterPlan(attribute, h, "the content of "+path.String())
}

// PartChangedAfterPlan is like [ChangedAfterPlan] for a part of an object, such as a line of a file.
func PartChangedAfterPlan(attribute string, h host.Host, part string) error {
	return diag.AttributeErrorf(attribute, "%s on host %s was changed after the plan was made. It is kept, and nothing was written. "+
		"Create a new plan with a refresh: it shows what the apply would replace", part, h.Name())
}

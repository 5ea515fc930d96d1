package runtime

import (
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ErrNotFound is returned by Read (or wrapped by its error) if the object is certain
// to be absent. Delete may return it too. An object is not absent if ErrNotFound is only a
// warning, or is joined ([errors.Join]) with a different error, such as that of a second request.
// Of several errors that [fmt.Errorf] wraps with %w, the first one counts, and the others are
// its causes.
var ErrNotFound = errors.New("object not found")

// absent reports whether err means that the object is absent: it has an error that is not
// only a warning, and each such error is [ErrNotFound].
func absent(err error) bool {
	found := false
	for _, part := range parts(err) {
		if !failed(part) {
			continue // a warning
		}
		if !isNotFound(part) {
			return false
		}
		found = true
	}
	return found
}

// isNotFound reports whether an error that is not a plain join means that the object is absent.
func isNotFound(err error) bool {
	if e, ok := err.(interface{ Is(target error) bool }); ok && e.Is(ErrNotFound) {
		return true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return absent(inner)
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		wrapped := several.Unwrap()
		return len(wrapped) > 0 && absent(wrapped[0])
	}
	return errors.Is(err, ErrNotFound)
}

// warningsOf returns the warnings in err, or nil if it has none. It also finds those in a join
// with text around it, which is an error as a whole.
func warningsOf(err error) error {
	var warnings []error
	for _, part := range parts(err) {
		var found error
		for _, d := range diag.FromError("", part) {
			if d.Severity == diag.Warning {
				found = errors.Join(found, d)
			}
		}
		if inner := errors.Unwrap(part); found == nil && inner != nil {
			found = warningsOf(inner)
		}
		warnings = append(warnings, found)
	}
	return errors.Join(warnings...)
}

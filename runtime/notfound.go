package runtime

import (
	"errors"

	"github.com/posixform/terraform-provider-posix/diag"
)

// ErrNotFound is returned by Read (or wrapped by its error) if the object is certain
// to be absent. Delete may return it too. An object is not absent if ErrNotFound is only a
// warning, or is joined ([errors.Join]) with another error, such as that of a second request.
var ErrNotFound = errors.New("object not found")

// absent reports whether err means that the object is absent: it has an error that is not
// only a warning, and each of them is [ErrNotFound]. An error with text around several others
// (fmt.Errorf with several %w) counts as one.
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

// isNotFound is absent for an error that is not a plain join.
func isNotFound(err error) bool {
	if e, ok := err.(interface{ Is(target error) bool }); ok && e.Is(ErrNotFound) {
		return true
	}
	if inner := errors.Unwrap(err); inner != nil {
		return absent(inner)
	}
	return errors.Is(err, ErrNotFound)
}

// warningsOf returns the warnings in err, or nil if it has none.
func warningsOf(err error) error {
	var warnings []error
	for _, d := range diag.FromError("", err) {
		if d.Severity == diag.Warning {
			warnings = append(warnings, d)
		}
	}
	return errors.Join(warnings...)
}

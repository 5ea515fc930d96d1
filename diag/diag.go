package diag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// Severity tells whether a diagnostic stops the operation.
type Severity int

const (
	// Error stops the operation. It is the zero value, so that a forgotten
	// severity is never silent.
	Error Severity = iota
	// Warning is shown and the operation goes on.
	Warning
)

// Diagnostic is one message.
type Diagnostic struct {
	Severity Severity
	// Summary is one line without a final full stop.
	Summary string
	// Detail says what happened, where, and what to do. It may be empty.
	Detail string
	// Path is the attribute concerned; nil means the whole object.
	Path cty.Path
}

// Diagnostics is a list of messages in the order in which they arose. Its nil
// value is empty and ready to use.
type Diagnostics []Diagnostic

// HasErrors reports whether at least one message is an error.
func (d Diagnostics) HasErrors() bool {
	for i := range d {
		if d[i].Severity == Error {
			return true
		}
	}
	return false
}

// Errorf returns d with an error at path added.
func (d Diagnostics) Errorf(path cty.Path, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Severity: Error, Summary: summary, Detail: fmt.Sprintf(format, args...), Path: path})
}

// Warnf returns d with a warning at path added.
func (d Diagnostics) Warnf(path cty.Path, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Severity: Warning, Summary: summary, Detail: fmt.Sprintf(format, args...), Path: path})
}

// Err returns the errors of d as one error, or nil when there are none. It is
// for tests and for callers that have no use for warnings.
func (d Diagnostics) Err() error {
	var errs []error
	for _, m := range d {
		if m.Severity == Error {
			errs = append(errs, m)
		}
	}
	return errors.Join(errs...)
}

// Error joins all messages, a line each; with [Diagnostics.Err] it makes a list
// of messages usable where an error is asked for.
func (d Diagnostics) Error() string {
	lines := make([]string, len(d))
	for i, m := range d {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Error returns path, summary and detail in one line each; it makes a
// Diagnostic usable as an error, so that code below may return a message that
// it has already worded.
func (m Diagnostic) Error() string {
	var b strings.Builder
	if len(m.Path) > 0 {
		b.WriteString(FormatPath(m.Path))
		b.WriteString(": ")
	}
	b.WriteString(m.Summary)
	if m.Detail != "" {
		b.WriteString(": ")
		b.WriteString(m.Detail)
	}
	return b.String()
}

package diag

import (
	"errors"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/zclconf/go-cty/cty"
)

// Severity distinguishes errors from warnings.
type Severity int

const (
	// Error stops the operation. It is the zero value, so that a diagnostic
	// without a severity is an error.
	Error Severity = iota
	// Warning is shown and the operation continues.
	Warning
)

// Diagnostic is one message for the user.
type Diagnostic struct {
	Severity Severity
	// Summary is one line without a full stop.
	Summary string
	// Detail explains what happened, where, and what to do. It may be empty.
	Detail string
	// Path is the path of the attribute; nil means the whole object.
	Path cty.Path
	// Crash is set if the diagnostic is the error of a call that the provider did not answer,
	// because the call panicked or the process ended. The plugin protocol does not transfer Crash.
	Crash Crash
}

// Crash is the kind of failure of a provider that did not answer a call. The
// configuration is never the cause of such a failure.
type Crash int

const (
	// NoCrash means that the provider answered, or did not answer for another reason.
	NoCrash Crash = iota
	// Panicked means that the call panicked, and the panic was recovered.
	Panicked
	// ProcessEnded means that the provider's process ended during the call or before
	// it.
	ProcessEnded
)

// Diagnostics is a list of diagnostics in the order in which they were found.
// The nil value is an empty list.
type Diagnostics []Diagnostic

// HasErrors reports whether d contains an error.
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

// Crash returns the kind of failure if d has the error of a call that the provider did
// not answer, otherwise NoCrash.
func (d Diagnostics) Crash() Crash {
	for i := range d {
		if d[i].Crash != NoCrash {
			return d[i].Crash
		}
	}
	return NoCrash
}

// Err returns the errors of d as one error, or nil if d has none. It ignores
// warnings.
func (d Diagnostics) Err() error {
	var errs []error
	for _, m := range d {
		if m.Severity == Error {
			errs = append(errs, m)
		}
	}
	return errors.Join(errs...)
}

// Error returns all diagnostics, including warnings, one after the other on lines of
// their own. It implements error, so that [FromError] finds d in an error.
func (d Diagnostics) Error() string {
	lines := make([]string, len(d))
	for i, m := range d {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Error returns path, summary and detail. It implements error, so that a
// function that returns an error can return a complete diagnostic. If the detail begins
// with the path, the text has the path only once.
func (m Diagnostic) Error() string {
	parts := make([]string, 0, 3)
	detail := m.Detail
	if len(m.Path) > 0 {
		path := FormatPath(m.Path)
		parts = append(parts, path)
		detail = strings.TrimPrefix(detail, path+": ")
	}
	parts = append(parts, m.Summary)
	if detail != "" {
		parts = append(parts, detail)
	}
	return strings.Join(parts, ": ")
}

// PanicSite returns the file and line of the panic in progress, such as "thing.go:12". It
// must be called from the deferred function that recovers, or from a function that the
// deferred function calls. It returns an empty string if there is no panic.
func PanicSite() string {
	pcs := make([]uintptr, 64)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(2, pcs)])
	for panicking := false; ; {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// FormatPath returns a path as it is written in configuration: attribute names
// joined by dots, list indices and map keys in brackets. Any other key, such as an
// object in a set, and an unknown, null or marked key is written as [*]: the key of an
// element of a set is its value, which may be sensitive. The empty path is "".
func FormatPath(p cty.Path) string {
	var b strings.Builder
	for _, step := range p {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		case cty.IndexStep:
			b.WriteString(formatKey(s.Key))
		}
	}
	return b.String()
}

func formatKey(key cty.Value) string {
	if key == cty.NilVal || key.IsMarked() || !key.IsKnown() || key.IsNull() {
		return "[*]"
	}
	switch key.Type() {
	case cty.Number:
		return "[" + key.AsBigFloat().Text('f', -1) + "]"
	case cty.String:
		return "[" + strconv.Quote(key.AsString()) + "]"
	default:
		return "[*]"
	}
}

// Count returns a number with a noun: "1 byte", "2 bytes". The plural of the
// noun must be formed with an s.
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List returns items for a message, at most the given number of them and how many more
// there are: "a, b, and 3 more".
func List(items []string, most int) string {
	if more := len(items) - most; more > 0 {
		return fmt.Sprintf("%s, and %d more", strings.Join(items[:most], ", "), more)
	}
	return strings.Join(items, ", ")
}

// Printable returns s without control characters other than newlines and tabs, and with invalid
// UTF-8 replaced. Clients print messages as they are: the text of a host or a service must not move
// the cursor of a terminal or set the title of its window.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

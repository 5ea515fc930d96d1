package diag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// pathed is an error about an attribute.
type pathed struct {
	path cty.Path
	err  error
}

func (e *pathed) Error() string {
	return FormatPath(e.path) + ": " + e.err.Error()
}

func (e *pathed) Unwrap() error { return e.err }

// warning wraps an error that FromError converts to a warning.
type warning struct{ err error }

func (e *warning) Error() string { return e.err.Error() }
func (e *warning) Unwrap() error { return e.err }

// WithPath returns err as an error about the attribute at path, or nil if err
// is nil. A path inside err is relative to path.
func WithPath(path cty.Path, err error) error {
	if err == nil {
		return nil
	}
	return &pathed{path: path.Copy(), err: err}
}

// AttributeErrorf returns an error about the top-level attribute with this name.
func AttributeErrorf(name, format string, args ...any) error {
	return &pathed{path: cty.GetAttrPath(name), err: fmt.Errorf(format, args...)}
}

// AsWarning returns err as a warning, or nil if err is nil.
func AsWarning(err error) error {
	if err == nil {
		return nil
	}
	return &warning{err: err}
}

// FromError converts err to diagnostics with this summary. Each of several
// joined errors becomes a diagnostic, nested paths are concatenated, and
// errors of [AsWarning] become warnings. A [Diagnostic] or [Diagnostics] inside err is
// kept; a diagnostic without a summary gets this summary. FromError returns nil if err is nil.
//
// The detail does not repeat the path, unless an error with other text wraps the error
// with the path: the detail is then the whole text. Errors that are joined inside of
// the wrapping error become one diagnostic.
func FromError(summary string, err error) Diagnostics {
	if err == nil {
		return nil
	}
	return fromError(nil, summary, Error, nil, err)
}

func fromError(out Diagnostics, summary string, sev Severity, path cty.Path, err error) Diagnostics {
	switch e := err.(type) { //nolint:errorlint // each level of the chain is visited by the recursion
	case *pathed:
		return fromError(out, summary, sev, join(path, e.path), e.err)
	case cty.PathError:
		if inner := errors.Unwrap(e); inner != nil {
			return fromError(out, summary, sev, join(path, e.Path), inner)
		}
		return append(out, Diagnostic{Severity: sev, Summary: summary, Detail: e.Error(), Path: join(path, e.Path)})
	case *warning:
		return fromError(out, summary, Warning, path, e.err)
	case Diagnostic:
		if sev == Warning {
			e.Severity = Warning
		}
		if e.Summary == "" {
			e.Summary = summary
		}
		e.Path = join(path, e.Path)
		return append(out, e)
	case Diagnostics:
		for _, m := range e {
			out = fromError(out, summary, sev, path, m)
		}
		return out
	case interface{ Unwrap() []error }:
		if parts := e.Unwrap(); isPlainJoin(err, parts) {
			for _, inner := range parts {
				out = fromError(out, summary, sev, path, inner)
			}
			return out
		}
	}
	// The diagnostic of a wrapped error has the text around the error and the path of the error.
	if inner := errors.Unwrap(err); inner != nil {
		if inner.Error() == err.Error() {
			return fromError(out, summary, sev, path, inner)
		}
		var deeper Diagnostics
		deeper = fromError(deeper, summary, sev, path, inner)
		if len(deeper) == 1 {
			deeper[0].Detail = err.Error()
			return append(out, deeper[0])
		}
		if len(deeper) > 0 && !deeper.HasErrors() {
			sev = Warning // wrapping a warning does not make it an error
		}
	}
	return append(out, Diagnostic{Severity: sev, Summary: summary, Detail: err.Error(), Path: path})
}

// isPlainJoin reports whether err is the result of errors.Join, whose parts
// become separate diagnostics. The text of fmt.Errorf with several %w must be
// kept.
func isPlainJoin(err error, parts []error) bool {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Error()
	}
	return err.Error() == strings.Join(texts, "\n")
}

// join concatenates paths. The result shares no memory with base and rel.
func join(base, rel cty.Path) cty.Path {
	if len(base)+len(rel) == 0 {
		return nil
	}
	p := make(cty.Path, 0, len(base)+len(rel))
	return append(append(p, base...), rel...)
}

package diag

import (
	"errors"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"
)

// pathed is an error that belongs to an attribute.
type pathed struct {
	path cty.Path
	err  error
}

func (e *pathed) Error() string {
	return FormatPath(e.path) + ": " + e.err.Error()
}

func (e *pathed) Unwrap() error { return e.err }

// warning marks an error as one that does not stop the operation.
type warning struct{ err error }

func (e *warning) Error() string { return e.err.Error() }
func (e *warning) Unwrap() error { return e.err }

// WithPath returns err as an error of the attribute at path; nil stays nil. A
// path inside err is taken to be relative to it and is extended, not replaced.
func WithPath(path cty.Path, err error) error {
	if err == nil {
		return nil
	}
	return &pathed{path: path.Copy(), err: err}
}

// AttributeErrorf is an error of the top-level attribute name.
func AttributeErrorf(name, format string, args ...any) error {
	return &pathed{path: cty.GetAttrPath(name), err: fmt.Errorf(format, args...)}
}

// AsWarning marks err as a warning; nil stays nil.
func AsWarning(err error) error {
	if err == nil {
		return nil
	}
	return &warning{err: err}
}

// FromError turns err into diagnostics under one summary. Joined errors become
// one message each, paths found on the way are added up, warnings keep their
// severity, and a [Diagnostic] or [Diagnostics] inside is passed on with its
// own wording; one without a summary gets this one. A nil error gives nil.
//
// The detail is the text of the innermost error that carries the path, so that
// a path is not said twice.
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
	// A wrapped error keeps the words that were put around it, but its path
	// still counts.
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
			sev = Warning // words around warnings make no error of them
		}
	}
	return append(out, Diagnostic{Severity: sev, Summary: summary, Detail: err.Error(), Path: path})
}

// isPlainJoin tells errors.Join, whose parts are messages of their own, from
// fmt.Errorf with several %w, whose words around the parts must be kept.
func isPlainJoin(err error, parts []error) bool {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Error()
	}
	return err.Error() == strings.Join(texts, "\n")
}

// join never shares memory with either operand: paths are immutable here.
func join(base, rel cty.Path) cty.Path {
	if len(base)+len(rel) == 0 {
		return nil
	}
	p := make(cty.Path, 0, len(base)+len(rel))
	return append(append(p, base...), rel...)
}

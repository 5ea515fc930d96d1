package tfdiags

import (
	"errors"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Diagnostic is an error or a warning.
type Diagnostic struct {
	Severity diag.Severity
	Summary  string
	Detail   string
	// Address is the object that the diagnostic is about, or "".
	Address string
	// Path is the attribute of the object, or nil.
	Path cty.Path
	// Subject is the place in the configuration, or nil.
	Subject *hcl.Range

	// source is the diagnostic of the language that this one was made from, or nil.
	// Format shows the values in its expression.
	source *hcl.Diagnostic
}

// Diagnostics is a list of diagnostics in the order of their creation.
type Diagnostics []Diagnostic

// HasErrors reports whether there is an error.
func (d Diagnostics) HasErrors() bool {
	for _, m := range d {
		if m.Severity == diag.Error {
			return true
		}
	}
	return false
}

// Errorf returns d with an error about the object.
func (d Diagnostics) Errorf(address, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Address: address, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// Warnf returns d with a warning about the object.
func (d Diagnostics) Warnf(address, summary, format string, args ...any) Diagnostics {
	return append(d, Diagnostic{Severity: diag.Warning, Address: address, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// Append returns d with more diagnostics: Diagnostics, diag.Diagnostics,
// hcl.Diagnostics, *hcl.Diagnostic, or an error.
func (d Diagnostics) Append(more ...any) Diagnostics {
	for _, m := range more {
		switch m := m.(type) {
		case nil:
		case Diagnostics:
			d = append(d, m...)
		case Diagnostic:
			d = append(d, m)
		case diag.Diagnostics:
			d = append(d, FromProvider("", m)...)
		case hcl.Diagnostics:
			for _, h := range m {
				d = append(d, fromHCL(h))
			}
		case *hcl.Diagnostic:
			d = append(d, fromHCL(m))
		case error:
			d = append(d, fromError(m))
		default:
			panic(fmt.Sprintf("tfdiags: a %T is not a diagnostic", m))
		}
	}
	return d
}

// FromProvider returns the diagnostics of a provider about the object.
func FromProvider(address string, diags diag.Diagnostics) Diagnostics {
	out := make(Diagnostics, len(diags))
	for i, m := range diags {
		out[i] = Diagnostic{Severity: m.Severity, Summary: m.Summary, Detail: m.Detail, Path: m.Path, Address: address}
	}
	return out
}

func fromHCL(h *hcl.Diagnostic) Diagnostic {
	out := Diagnostic{Summary: h.Summary, Detail: h.Detail, Subject: h.Subject, source: h}
	if h.Severity == hcl.DiagWarning {
		out.Severity = diag.Warning
	}
	return out
}

func fromError(err error) Diagnostic {
	out := Diagnostic{Summary: err.Error()}
	if at, ok := errors.AsType[cty.PathError](err); ok {
		out.Path = at.Path
	}
	return out
}

// WithAddress returns d with the object set in diagnostics that have none. Diagnostics
// of the language keep their place in the configuration instead, as on the command
// line.
func (d Diagnostics) WithAddress(address string) Diagnostics {
	for i := range d {
		if d[i].Address == "" && d[i].source == nil {
			d[i].Address = address
		}
	}
	return d
}

// ForAddress is like WithAddress, but includes diagnostics of the language.
func (d Diagnostics) ForAddress(address string) Diagnostics {
	for i := range d {
		if d[i].Address == "" {
			d[i].Address = address
		}
	}
	return d
}

// Err returns the errors of d as one error, or nil.
func (d Diagnostics) Err() error {
	if !d.HasErrors() {
		return nil
	}
	return d
}

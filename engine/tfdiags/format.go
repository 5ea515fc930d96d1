package tfdiags

import (
	"strings"

	"github.com/posixform/terraform-provider-posix/diag"
)

// Error is the text of all errors, as the command line would show them.
func (d Diagnostics) Error() string { return d.format(diag.Error) }

// Warnings is the text of all warnings.
func (d Diagnostics) Warnings() string { return d.format(diag.Warning) }

func (d Diagnostics) format(severity diag.Severity) string {
	var b strings.Builder
	for _, m := range d {
		if m.Severity == severity {
			b.WriteString(m.Format())
		}
	}
	return b.String()
}

// Format is the message as the command line shows it.
func (m Diagnostic) Format() string {
	var b strings.Builder
	b.WriteString("\nError: ")
	b.WriteString(m.Summary)
	b.WriteString("\n\n")
	if m.Address != "" {
		b.WriteString("  with " + m.Address + ",\n")
	}
	if m.Subject != nil {
		b.WriteString("  on " + m.Subject.String() + ":\n")
	}
	if m.Detail != "" {
		b.WriteString("\n" + m.Detail + "\n")
	}
	return b.String()
}

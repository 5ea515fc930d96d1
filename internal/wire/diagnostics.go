package wire

import (
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
)

// DiagnosticsToProto converts diagnostics to their protocol form.
func DiagnosticsToProto(in diag.Diagnostics) []*tfplugin.Diagnostic {
	if len(in) == 0 {
		return nil
	}
	out := make([]*tfplugin.Diagnostic, len(in))
	for i, d := range in {
		out[i] = &tfplugin.Diagnostic{
			Severity:  tfplugin.DiagnosticSeverityError,
			Summary:   d.Summary,
			Detail:    d.Detail,
			Attribute: PathToProto(d.Path),
		}
		if d.Severity == diag.Warning {
			out[i].Severity = tfplugin.DiagnosticSeverityWarning
		}
	}
	return out
}

// DiagnosticsFromProto is the inverse of [DiagnosticsToProto]. A diagnostic with an
// invalid severity becomes a warning, because clients show it and continue.
func DiagnosticsFromProto(in []*tfplugin.Diagnostic) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range in {
		if d == nil {
			continue
		}
		severity := diag.Warning
		if d.Severity == tfplugin.DiagnosticSeverityError {
			severity = diag.Error
		}
		out = append(out, diag.Diagnostic{
			Severity: severity,
			Summary:  d.Summary,
			Detail:   d.Detail,
			Path:     PathFromProto(d.Attribute),
		})
	}
	return out
}

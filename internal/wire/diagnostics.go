package wire

import (
	"math/big"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// DiagnosticsToProto converts diagnostics to their protocol form. [diag.Printable] converts their texts.
func DiagnosticsToProto(in diag.Diagnostics) []*tfplugin.Diagnostic {
	if len(in) == 0 {
		return nil
	}
	out := make([]*tfplugin.Diagnostic, len(in))
	for i, d := range in {
		out[i] = &tfplugin.Diagnostic{
			Severity:  tfplugin.DiagnosticSeverityError,
			Summary:   diag.Printable(d.Summary),
			Detail:    diag.Printable(d.Detail),
			Attribute: PathToProto(d.Path),
		}
		if d.Severity == diag.Warning {
			out[i].Severity = tfplugin.DiagnosticSeverityWarning
		}
	}
	return out
}

// DiagnosticsFromProto is the inverse of [DiagnosticsToProto]. It omits nil. A diagnostic with an
// invalid severity becomes a warning, because clients show such a diagnostic and continue.
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

// PathToProto converts a path to its protocol form. The result ends before the first step
// that the protocol does not support, such as the step to an object in a set: the result is
// then the path of the set. The result for the empty path is nil.
func PathToProto(path cty.Path) *tftypes.AttributePath {
	steps := make([]tftypes.AttributePathStep, 0, len(path))
	for _, step := range path {
		s := stepToProto(step)
		if s == nil {
			break
		}
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return nil
	}
	return tftypes.NewAttributePathWithSteps(steps)
}

func stepToProto(step cty.PathStep) tftypes.AttributePathStep {
	switch step := step.(type) {
	case cty.GetAttrStep:
		return tftypes.AttributeName(ValidUTF8(step.Name))
	case cty.IndexStep:
		key := step.Key
		if key == cty.NilVal || key.IsMarked() || !key.IsKnown() || key.IsNull() {
			return nil
		}
		switch key.Type() {
		case cty.String:
			return tftypes.ElementKeyString(ValidUTF8(key.AsString()))
		case cty.Number:
			if i, acc := floatOf(key).Int64(); acc == big.Exact {
				return tftypes.ElementKeyInt(i)
			}
		}
	}
	return nil
}

// ValidUTF8 returns s with invalid UTF-8 replaced, because gRPC cannot send it.
func ValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// PathFromProto is the inverse of [PathToProto]. For nil and for a path without steps it
// returns nil, the path of the whole object. The result ends before a step to an element of a set.
func PathFromProto(in *tftypes.AttributePath) cty.Path {
	var path cty.Path
	for _, step := range in.Steps() {
		switch step := step.(type) {
		case tftypes.AttributeName:
			path = append(path, cty.GetAttrStep{Name: string(step)})
		case tftypes.ElementKeyString:
			path = append(path, cty.IndexStep{Key: cty.StringVal(string(step))})
		case tftypes.ElementKeyInt:
			path = append(path, cty.IndexStep{Key: cty.NumberIntVal(int64(step))})
		default:
			return path
		}
	}
	return path
}

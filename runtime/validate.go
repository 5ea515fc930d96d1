package runtime

import (
	"context"
	"errors"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// unknownType returns the diagnostics for a resource type that is not registered.
func unknownType(typeName string) diag.Diagnostics { return unknownTypeOf("resource type", typeName) }

// invalidValue is the summary of errors about the value of an attribute, for all
// RPCs.
const invalidValue = "Invalid value"

// invalid sets the summary of the errors in err that are about an attribute to
// invalidValue, unless they have a summary. Errors about the whole object, a deferral and
// warnings are not changed.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	var errs []error
	for _, part := range parts(err) {
		if _, ok := errors.AsType[*deferral](part); ok {
			// If the client does not allow deferral, the text around it is part of the error.
			errs = append(errs, part)
			continue
		}
		diags := diag.FromError("", part)
		for i := range diags {
			if diags[i].Summary == "" && diags[i].Severity == diag.Error && len(diags[i].Path) > 0 {
				diags[i].Summary = invalidValue
			}
		}
		if len(diags) > 0 {
			errs = append(errs, diags)
		}
	}
	return errors.Join(errs...)
}

// ValidateResourceConfig implements [provider.Interface].
func (s *server) ValidateResourceConfig(ctx context.Context, req provider.ValidateResourceConfigRequest) provider.ValidateResourceConfigResponse {
	m := s.resources[req.TypeName]
	if m == nil {
		return provider.ValidateResourceConfigResponse{Diagnostics: unknownType(req.TypeName)}
	}
	if !usable(req.Config) {
		return provider.ValidateResourceConfigResponse{}
	}
	c := &call{typeName: req.TypeName, form: m.form}
	diags := m.check(ctx, c, req.Config, m.fresh)
	if !req.ClientCapabilities.WriteOnlyAttributesAllowed {
		diags = m.refuseWriteOnly(req.Config, diags)
	}
	return provider.ValidateResourceConfigResponse{Diagnostics: diags}
}

func (m *managed) refuseWriteOnly(config cty.Value, diags diag.Diagnostics) diag.Diagnostics {
	for _, a := range m.ins {
		diags = a.in.refuseWriteOnly(config.GetAttr(a.name), nil, diags)
	}
	return diags
}

func (f *field) refuseWriteOnly(v cty.Value, at cty.Path, diags diag.Diagnostics) diag.Diagnostics {
	at = at.GetAttr(f.name)
	if f.writeOnly && !v.IsNull() {
		return diags.Errorf(at, "Write-only attribute not supported",
			"The write-only attribute %s needs Terraform 1.11 or OpenTofu 1.11, or later.", f.name)
	}
	if f.node.hasWriteOnly {
		f.node.eachObject(v, at, func(object cty.Value, at cty.Path) {
			inner, _ := f.node.nesting()
			for _, g := range inner.fields {
				diags = g.refuseWriteOnly(object.GetAttr(g.name), at, diags)
			}
		})
	}
	return diags
}

// deprecation returns a description without its first paragraph that starts with
// "Deprecated: ", and the text of that paragraph, the deprecation message.
func deprecation(description string) (rest, message string) {
	if !strings.Contains(description, "Deprecated: ") {
		return description, "" // the usual case, without an allocation
	}
	before, after, found := strings.Cut("\n\n"+description, "\n\nDeprecated: ")
	if !found {
		return description, ""
	}
	message, after, _ = strings.Cut(after, "\n\n")
	return strings.Trim(before+"\n\n"+after, "\n"), message
}

// deprecations returns a warning for each deprecated argument and block that a
// configuration sets, except inside a deprecated argument or block, and for a deprecated
// type. The message is in the schema too, but not every client shows it.
func (f *form) deprecations(typeName string, config cty.Value) (out diag.Diagnostics) {
	for _, a := range f.ins {
		if a.in.deprecates() {
			out = a.in.deprecations(f.attr(config, a), cty.Path{a.in.step}, out)
		}
	}
	if f.body.Deprecated {
		out = out.Warnf(nil, typeName+" is deprecated", "%s", f.body.DeprecationMessage)
	}
	return out
}

// deprecates reports whether the field is deprecated, or has deprecated attributes inside.
func (f *field) deprecates() bool { return f.deprecated != "" || f.node.deprecates }

// deprecations appends the warnings for the value, at the path, of a field for which deprecates returns
// true. An unknown value may turn out to be null, so there are none for it.
func (f *field) deprecations(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	if set, _ := f.isConfigured(v); !set || !v.IsKnown() {
		return out
	}
	if f.deprecated != "" {
		return out.Warnf(at.Copy(), "Argument is deprecated", "%s", f.deprecated)
	}
	fields := f.node.objects().fields
	f.node.eachObject(v, at, func(object cty.Value, at cty.Path) {
		for _, inner := range fields {
			if inner.deprecates() {
				out = inner.deprecations(object.GetAttr(inner.name), at.GetAttr(inner.name), out)
			}
		}
	})
	return out
}

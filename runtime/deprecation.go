package runtime

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// deprecation returns a description without its first paragraph that begins with
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
// configuration sets, and for a deprecated type. The message is in the schema too, but
// clients do not show it.
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

// deprecations appends the warnings for the value, at the path, of a field that deprecates. An
// unknown value may turn out to be null, so there are none for it.
func (f *field) deprecations(v cty.Value, at cty.Path, out diag.Diagnostics) diag.Diagnostics {
	set := usable(v)
	if set && f.block && v.Type().IsCollectionType() {
		set = v.LengthInt() > 0
	}
	if !set {
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

package engine

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// OpenTofu marks values of deprecated attributes and outputs, and warns where the value of an
// expression or a body has such a mark. The engine does the same with the flavor OpenTofu. Versions of
// Terraform differ in these warnings, so the engine returns none with the flavor Terraform.

// markDeprecated marks the deprecated attributes in the value of a block, or in the values of its
// instances if it is repeated.
func (s *scope) markDeprecated(v cty.Value, block *configs.Resource, repeated bool) cty.Value {
	if s.options.Flavor == Terraform || block.Addr.Mode == addrs.ListResourceMode { // the value of a list block does not have the type of the schema
		return v
	}
	t := s.typeSchema(block)
	if t == nil || !t.deprecates {
		return v
	}
	var marked []cty.PathValueMarks
	add := func(object cty.Value, base cty.Path) {
		for _, path := range t.Body.DeprecatedPaths(object, base) {
			inside := path[len(base):]
			mark := lang.Deprecation{Source: block.Addr.String() + dotted(inside), Message: t.Body.EnclosingAttribute(inside).DeprecationMessage}
			marked = append(marked, cty.PathValueMarks{Path: path, Marks: cty.NewValueMarks(mark)})
		}
	}
	instances, _ := v.Unmark()
	switch {
	case !repeated:
		add(v, nil)
	case instances.CanIterateElements():
		for key, object := range instances.Elements() {
			base := cty.Path(nil).Index(key)
			if instances.Type().IsObjectType() {
				base = cty.GetAttrPath(key.AsString())
			}
			add(object, base)
		}
	}
	if len(marked) > 0 {
		s.deprecated.Store(true)
	}
	return v.MarkWithPaths(marked)
}

// markOutput marks the value of an output of a module call if the output is deprecated.
func (s *scope) markOutput(v cty.Value, call lang.ModuleCallOutput, o *configs.Output) cty.Value {
	if o.Deprecated == "" || s.options.Flavor == Terraform {
		return v
	}
	s.deprecated.Store(true)
	return v.Mark(lang.Deprecation{Source: call.String(), Message: o.Deprecated})
}

// warnDeprecated returns v without its deprecations, and a warning for each of them. at is the
// source range of the expression. It is nil for a body, whose warnings have paths instead.
func (s *scope) warnDeprecated(v cty.Value, at *hcl.Range) (cty.Value, tfdiags.Diagnostics) {
	if !s.deprecated.Load() {
		return v, nil
	}
	const summary = "Value derived from a deprecated source"
	var diags tfdiags.Diagnostics
	v = lang.TakeDeprecations(v, func(path cty.Path, d lang.Deprecation) {
		detail := deprecationText("The value is derived from "+d.Source+", which", d.Message)
		if at != nil {
			diags = diags.Append(&hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: detail, Subject: at})
			return
		}
		diags = append(diags, tfdiags.Diagnostic{Severity: diag.Warning, Summary: summary, Detail: detail, Path: path})
	})
	return v, diags
}

// deprecatedArgument returns the warning about a value for a deprecated variable, for the root
// module only in a plan. at is the source range of an argument of a module, or of the variable of
// the root module.
func (w *walk) deprecatedArgument(config *configs.Config, v *configs.Variable, at hcl.Range) tfdiags.Diagnostics {
	root := config.Path.IsRoot()
	if v.Deprecated == "" || w.options.Flavor == Terraform || root && w.op != planning {
		return nil
	}
	summary := "Variable marked as deprecated by the module author"
	if root {
		summary = "Deprecated variable used from the root module"
	}
	return tfdiags.Diagnostics{}.Append(&hcl.Diagnostic{
		Severity: hcl.DiagWarning, Summary: summary, Detail: deprecationText(fmt.Sprintf("The variable %q", v.Name), v.Deprecated), Subject: &at,
	})
}

// deprecationText returns a sentence about a deprecated subject.
func deprecationText(subject, message string) string {
	if message == "" {
		return subject + " is deprecated."
	}
	return subject + " is deprecated: " + message
}

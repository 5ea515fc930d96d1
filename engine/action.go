package engine

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// requiredReplace is §9.4: which of the provider's paths really ask for
// replacement. One that is in neither object is an error.
func (n *node) requiredReplace(prior, after cty.Value, asked []cty.Path) ([]cty.Path, tfdiags.Diagnostics) {
	if prior.IsNull() {
		return nil, nil
	}
	var (
		out   []cty.Path
		diags tfdiags.Diagnostics
	)
	for _, path := range asked {
		was, priorErr := path.Apply(prior)
		is, afterErr := path.Apply(after)
		if priorErr != nil && afterErr != nil {
			diags = append(diags, n.blame("Provider produced invalid plan", "asks for a replacement of %s because of %s, which is neither in the prior object nor in the planned one.", n.text, dotted(path))...)
			continue
		}
		if attr := n.schema.Body.AttributeByPath(path); attr != nil && attr.WriteOnly {
			out = append(out, path)
			continue
		}
		if priorErr != nil {
			was = cty.UnknownVal(is.Type())
		}
		if afterErr != nil {
			is = cty.UnknownVal(was.Type())
		}
		if same := was.Equals(is); !same.IsKnown() || same.False() {
			out = append(out, path)
		}
	}
	return out, diags
}

// action is what the two objects and the reasons for a replacement come to.
func (n *node) action(prior, after cty.Value, replace []cty.Path, why replaceWhy) (plans.Action, plans.ActionReason) {
	replacing := plans.DeleteThenCreate
	if why.createFirst {
		replacing = plans.CreateThenDelete
	}
	switch {
	case prior.IsNull():
		return plans.Create, plans.NoReason
	case why.forced:
		return replacing, why.reason
	case len(replace) > 0:
		return replacing, plans.ReplaceBecauseCannotUpdate
	}
	if same := prior.Equals(after); same.IsKnown() && same.True() {
		return plans.NoOp, plans.NoReason
	}
	return plans.Update, plans.NoReason
}

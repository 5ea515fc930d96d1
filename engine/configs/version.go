package configs

import (
	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
)

// versionConstraint reads a constraint, such as ">= 1.2, < 2.0". Those of providers are only
// checked for syntax, because the test supplies the providers.
func (r *reader) versionConstraint(expr hcl.Expression) (version.Constraints, bool) {
	var text string
	if diags := gohcl.DecodeExpression(expr, nil, &text); diags.HasErrors() {
		r.errorf(expr.Range(), "Invalid version constraint", "A version constraint must be a string.")
		return nil, false
	}
	need, err := version.NewConstraint(text)
	if err != nil {
		r.errorf(expr.Range(), "Invalid version constraint", "%q is not a version constraint such as \">= 1.2, < 2.0\": %s.", text, err)
	}
	return need, err == nil
}

package configs

import (
	"github.com/hashicorp/go-version"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
)

// versionConstraint checks that an expression is a requirement and gives it. The
// providers of a test are what they are, so none of them is compared with it.
func (r *reader) versionConstraint(expr hcl.Expression) version.Constraints {
	var text string
	if diags := gohcl.DecodeExpression(expr, nil, &text); diags.HasErrors() {
		r.errorf(expr.Range(), "Invalid version constraint", "A string value is required for a version constraint.")
		return nil
	}
	constraints, err := version.NewConstraint(text)
	if err != nil {
		r.errorf(expr.Range(), "Invalid version constraint", "%q is no version constraint, such as \">= 1.2, < 2.0\".", text)
		return nil
	}
	return constraints
}

// requiredVersion compares what a module needs with the version that the engine
// plays, if it plays one.
func (r *reader) requiredVersion(attr *hcl.Attribute) {
	constraints := r.versionConstraint(attr.Expr)
	if r.opts.Version == "" {
		return
	}
	have, err := version.NewVersion(r.opts.Version)
	if err == nil && !constraints.Check(have.Core()) {
		r.errorf(attr.Expr.Range(), "Unsupported "+r.opts.product()+" Core version",
			"This configuration requires version %s of %s; the engine plays version %s.", constraints, r.opts.product(), r.opts.Version)
	}
}

package configs

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// addressStep is one step of an address in moved, removed and import blocks: a name or
// a key. Keys of import blocks may be expressions.
type addressStep struct {
	name string
	// key is nil if the step is a name.
	key hcl.Expression
	rng hcl.Range
}

// literal returns the expression of a literal key.
func literal(value cty.Value, rng hcl.Range) hcl.Expression {
	return &hclsyntax.LiteralValueExpr{Val: value, SrcRange: rng}
}

// traversalSteps returns the steps of a reference, or false if a step is neither a name nor a key.
func traversalSteps(traversal hcl.Traversal) ([]addressStep, bool) {
	steps := make([]addressStep, 0, len(traversal))
	for _, t := range traversal {
		switch t := t.(type) {
		case hcl.TraverseRoot:
			steps = append(steps, addressStep{name: t.Name, rng: t.SrcRange})
		case hcl.TraverseAttr:
			steps = append(steps, addressStep{name: t.Name, rng: t.SrcRange})
		case hcl.TraverseIndex:
			steps = append(steps, addressStep{key: literal(t.Key, t.SrcRange), rng: t.SrcRange})
		default:
			return nil, false
		}
	}
	return steps, true
}

// expressionSteps returns the steps of a reference whose keys may be expressions, or false for
// any other expression.
func expressionSteps(expr hcl.Expression) ([]addressStep, bool) {
	switch expr := expr.(type) {
	case *hclsyntax.IndexExpr:
		steps, ok := expressionSteps(expr.Collection)
		return append(steps, addressStep{key: expr.Key, rng: expr.BracketRange}), ok
	case *hclsyntax.RelativeTraversalExpr:
		steps, ok := expressionSteps(expr.Source)
		more, relative := traversalSteps(expr.Traversal)
		return append(steps, more...), ok && relative
	case *hclsyntax.ScopeTraversalExpr:
		return traversalSteps(expr.Traversal)
	}
	return nil, false
}

// evaluator returns the value of the expression of a key.
type evaluator func(hcl.Expression) (cty.Value, hcl.Diagnostics)

// address parses steps as the address of a module, a resource or an instance.
type address struct {
	steps []addressStep
	whole hcl.Range
	eval  evaluator
	diags hcl.Diagnostics
}

func (a *address) fail(rng hcl.Range, summary, detail string) {
	a.diags = append(a.diags, errorf(rng, summary, "%s", detail))
}

const badAddress = "Invalid address"

// target returns the address. It is complete only without errors.
func (a *address) target() (addrs.Target, hcl.Diagnostics) {
	var out addrs.Target
	for len(a.steps) > 0 && a.steps[0].key == nil && a.steps[0].name == "module" {
		name, ok := a.name(1)
		if !ok {
			a.fail(a.whole, "Invalid address operator", "The name of a module is missing after \"module.\".")
			return out, a.diags
		}
		a.steps = a.steps[2:]
		out.Module = append(out.Module, addrs.ModuleInstanceStep{Name: name, InstanceKey: a.key()})
	}
	if len(a.steps) == 0 {
		return out, a.diags
	}
	out.Resource.Mode = addrs.ManagedResourceMode
	switch a.steps[0].name {
	case "data":
		out.Resource.Mode, a.steps = addrs.DataResourceMode, a.steps[1:]
	case "ephemeral":
		out.Resource.Mode, a.steps = addrs.EphemeralResourceMode, a.steps[1:]
	}
	var okType, okName bool
	out.Resource.Type, okType = a.name(0)
	out.Resource.Name, okName = a.name(1)
	if !okType || !okName {
		a.fail(a.whole, badAddress, "A resource is addressed by type and name: TYPE.NAME.")
		return out, a.diags
	}
	a.steps = a.steps[2:]
	out.Key = a.key()
	switch {
	case len(a.steps) == 0:
	case out.Key == addrs.NoKey && a.steps[0].key == nil:
		a.fail(a.steps[0].rng, badAddress, "Only an instance key may follow the name of a resource, as in TYPE.NAME[0].")
	default:
		a.fail(a.steps[0].rng, badAddress, "Unexpected extra operators after address.")
	}
	return out, a.diags
}

func (a *address) name(i int) (string, bool) {
	if i >= len(a.steps) || a.steps[i].key != nil {
		return "", false
	}
	return a.steps[i].name, true
}

// key removes the next step if it is a key, and returns the key. It returns NoKey if the next step
// is not a key. An invalid key is an error, and NoKey is returned for it.
func (a *address) key() addrs.InstanceKey {
	if len(a.steps) == 0 || a.steps[0].key == nil {
		return addrs.NoKey
	}
	step := a.steps[0]
	a.steps = a.steps[1:]
	value, diags := a.eval(step.key)
	a.diags = append(a.diags, diags...)
	if diags.HasErrors() {
		return addrs.NoKey
	}
	key, ok := addrs.ParseKey(value)
	if !ok {
		a.fail(step.rng, badAddress, "Invalid resource instance key: a string or a whole number is required. It must be known, not null and not sensitive.")
	}
	return key
}

// static evaluates a key without variables. It returns an error if the key refers to any.
func static(expr hcl.Expression) (cty.Value, hcl.Diagnostics) { return expr.Value(nil) }

// literalKey evaluates literal keys. Any other key becomes 0.
func literalKey(expr hcl.Expression) (cty.Value, hcl.Diagnostics) {
	if isLiteral(expr) {
		return static(expr)
	}
	return cty.Zero, nil
}

func isLiteral(expr hcl.Expression) bool {
	_, ok := expr.(*hclsyntax.LiteralValueExpr)
	return ok
}

// address reads an attribute with the address of a module, a resource or an instance. It returns
// false if attr is nil, or if the address is invalid, for which it adds an error.
func (r *reader) address(attr *hcl.Attribute) (hcl.Traversal, addrs.Target, bool) {
	if attr == nil {
		return nil, addrs.Target{}, false
	}
	traversal, diags := hcl.AbsTraversalForExpr(attr.Expr)
	r.add(diags)
	if diags.HasErrors() {
		return nil, addrs.Target{}, false
	}
	steps, ok := traversalSteps(traversal)
	if !ok {
		r.errorf(attr.Expr.Range(), badAddress, "An address consists of names and keys only.")
		return nil, addrs.Target{}, false
	}
	a := address{steps: steps, whole: attr.Expr.Range(), eval: static}
	target, diags := a.target()
	r.add(diags)
	return traversal, target, !diags.HasErrors()
}

// errNoTarget is the text of the error of [Import.Address] for an import block that Load refused.
var errNoTarget = errors.New("the import block has errors")

// Address returns the instance to import to, with the keys evaluated by eval, which
// must support each.key and each.value.
func (i *Import) Address(eval func(hcl.Expression) (cty.Value, hcl.Diagnostics)) (addrs.AbsResourceInstance, hcl.Diagnostics) {
	if i.steps == nil {
		return addrs.AbsResourceInstance{}, hcl.Diagnostics{errorf(i.DeclRange, badAddress, "%s", errNoTarget)}
	}
	a := address{steps: i.steps, whole: i.To.Range(), eval: eval}
	target, diags := a.target()
	return target.Resource.Instance(target.Key).Absolute(target.Module), diags
}

package engine

import (
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// repetitionMode is the way in which a block is repeated.
type repetitionMode int

const (
	repeatNone repetitionMode = iota
	repeatCount
	repeatEach
	repeatEnabled // one instance without a key, or none
	repeatUnknown
)

// repetition holds count.index, each.key and each.value of an instance; cty.NilVal if
// they do not exist.
type repetition struct {
	index, key, value cty.Value
}

// expansion is the set of instances of a block.
type expansion struct {
	mode repetitionMode
	keys []addrs.InstanceKey
	each map[addrs.InstanceKey]repetition
	// disabled is the value of a block without an instance if the mode is repeatEnabled.
	disabled cty.Value
	// stored means that the value of the block has the instances in the state, and not those in keys.
	stored bool
}

func (x expansion) repetition(k addrs.InstanceKey) repetition { return x.each[k] }

// unknownRepetition returns the repetition for validation, which has no instances.
func unknownRepetition(count, forEach hcl.Expression) repetition {
	var r repetition
	if count != nil {
		r.index = cty.UnknownVal(cty.Number)
	}
	if forEach != nil {
		r.key, r.value = cty.UnknownVal(cty.String), cty.DynamicVal
	}
	return r
}

// validateRepetition checks count or for_each of a block before the plan, which knows more values.
// As in core, only the plan checks enabled.
func (s *scope) validateRepetition(count, forEach hcl.Expression) tfdiags.Diagnostics {
	if count != nil {
		v, diags := s.expr(count, cty.Number)
		if diags.HasErrors() || !v.IsKnown() && !lang.Carries(v, lang.Ephemeral) {
			return diags
		}
		_, diags = s.expandCount(count)
		return diags
	}
	if forEach == nil {
		return nil
	}
	v, diags := s.expr(forEach, cty.DynamicPseudoType)
	if diags.HasErrors() || !v.IsMarked() && isUnknownForEach(v) {
		return diags
	}
	_, diags = s.expandForEach(forEach)
	return diags
}

// isUnknownForEach reports whether v is unknown, or a set with unknown elements, and may be the
// value of a for_each once it is known.
func isUnknownForEach(v cty.Value) bool {
	ty := v.Type()
	if ty.IsSetType() {
		return !v.IsWhollyKnown()
	}
	return !v.IsKnown() && (ty == cty.DynamicPseudoType || ty.IsMapType() || ty.IsObjectType())
}

// expand evaluates count, for_each or enabled of a block.
func (s *scope) expand(count, forEach, enabled hcl.Expression) (expansion, tfdiags.Diagnostics) {
	switch {
	case count != nil:
		return s.expandCount(count)
	case forEach != nil:
		return s.expandForEach(forEach)
	case enabled != nil:
		return s.expandEnabled(enabled)
	default:
		return expansion{mode: repeatNone, keys: []addrs.InstanceKey{addrs.NoKey}}, nil
	}
}

// expandEnabled evaluates enabled of a block. Like core, it can report several errors about one value.
// If the expression cannot be evaluated, it also reports that the value is unknown.
func (s *scope) expandEnabled(expr hcl.Expression) (expansion, tfdiags.Diagnostics) {
	found := refsInExpr(expr)
	ctx, diags := s.evalContext(found)
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, moreDiags := s.evaluate(expr, found, ctx)
	diags = append(diags, moreDiags...)
	v, moreDiags = s.warnDeprecated(v, expr.Range().Ptr())
	diags = append(diags, moreDiags...)
	v, marks := v.Unmark()
	invalid := func(detail string) {
		diags = append(diags, errorAt(expr.Range(), "Invalid enabled argument", detail)...)
	}
	if _, sensitive := marks[lang.Sensitive]; sensitive {
		invalid("The value is sensitive, and the existence of the instance would reveal it.")
	}
	if _, ephemeral := marks[lang.Ephemeral]; ephemeral {
		invalid("The value is ephemeral, so the next run could not determine whether the instance exists.")
	}
	switch {
	case v.IsNull():
		invalid("\"enabled\" must be true or false, but it is null.")
	case !v.IsKnown():
		invalid("\"enabled\" depends on values that are known only after apply. Apply their resources first, as targets.")
	}
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, err := convert.Convert(v, cty.Bool)
	if err != nil {
		invalid("\"enabled\" must be true or false: " + err.Error() + ".")
		return expansion{mode: repeatUnknown}, diags
	}
	x := expansion{mode: repeatEnabled, disabled: cty.NullVal(cty.DynamicPseudoType)}
	if v.True() {
		x.keys = []addrs.InstanceKey{addrs.NoKey}
	}
	return x, diags
}

func (s *scope) expandCount(expr hcl.Expression) (expansion, tfdiags.Diagnostics) {
	invalid := func(detail string) (expansion, tfdiags.Diagnostics) {
		return expansion{mode: repeatUnknown}, errorAt(expr.Range(), "Invalid count argument", detail)
	}
	v, diags := s.expr(expr, cty.Number)
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, marks := v.Unmark()
	if _, ephemeral := marks[lang.Ephemeral]; ephemeral {
		return invalid("The value is ephemeral, so the next run could not determine the instances again.")
	}
	switch {
	case v.IsNull():
		return invalid("\"count\" must be a number, but it is null.")
	case !v.IsKnown():
		return invalid("\"count\" depends on values that are known only after apply. Apply their resources first, as targets.")
	}
	n, exact := v.AsBigFloat().Int64()
	switch {
	case exact != 0:
		return invalid("\"count\" is not a whole number.")
	case n < 0:
		return invalid("\"count\" is less than zero.")
	}
	x := expansion{mode: repeatCount, each: map[addrs.InstanceKey]repetition{}}
	for i := range n {
		k := addrs.IntKey(i)
		x.keys = append(x.keys, k)
		x.each[k] = repetition{index: cty.NumberIntVal(i)}
	}
	return x, diags
}

func (s *scope) expandForEach(expr hcl.Expression) (expansion, tfdiags.Diagnostics) {
	invalid := func(detail string) (expansion, tfdiags.Diagnostics) {
		return expansion{mode: repeatUnknown}, errorAt(expr.Range(), "Invalid for_each argument", detail)
	}
	v, diags := s.expr(expr, cty.DynamicPseudoType)
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, marks := v.Unmark()
	if _, sensitive := marks[lang.Sensitive]; sensitive {
		return invalid("The value is sensitive, and its keys would be visible in the addresses of the instances.")
	}
	if _, ephemeral := marks[lang.Ephemeral]; ephemeral {
		return invalid("The value is ephemeral, so the next run could not determine the instances again.")
	}
	ty := v.Type()
	switch {
	case v.IsNull():
		return invalid("\"for_each\" must be a map or a set of strings, but it is null.")
	case !v.IsKnown():
		return invalid("\"for_each\" depends on values that are known only after apply. Use a map with known keys, or apply their resources first, as targets.")
	case !ty.IsMapType() && !ty.IsObjectType() && !ty.IsSetType():
		return invalid("\"for_each\" must be a map or a set of strings, and it is of type " + ty.FriendlyName() + ".")
	}
	x := expansion{mode: repeatEach, each: map[addrs.InstanceKey]repetition{}}
	if ty.IsSetType() {
		if !v.IsWhollyKnown() {
			return invalid("Some elements of the set, which become keys, are known only after apply. Use a map with known keys.")
		}
		ofOthers := ty.ElementType() != cty.String && ty.ElementType() != cty.DynamicPseudoType
		if ofOthers && (v.LengthInt() > 0 || s.options.Flavor == OpenTofu) { // Terraform accepts any empty set
			return invalid("The elements of a set for \"for_each\" must be strings, and they are of type " + ty.ElementType().FriendlyName() + ".")
		}
		for _, el := range v.AsValueSlice() {
			if el.IsNull() {
				return invalid("The set for \"for_each\" must not contain null.")
			}
			k := addrs.StringKey(el.AsString())
			x.keys = append(x.keys, k)
			x.each[k] = repetition{key: el, value: el}
		}
		return x, diags
	}
	for name, el := range v.AsValueMap() {
		k := addrs.StringKey(name)
		x.keys = append(x.keys, k)
		x.each[k] = repetition{key: cty.StringVal(name), value: el}
	}
	sort.Slice(x.keys, func(i, j int) bool { return x.keys[i].(addrs.StringKey) < x.keys[j].(addrs.StringKey) })
	return x, diags
}

// moduleInstance is an instance of a module with the repetition of its call.
type moduleInstance struct {
	addr       addrs.ModuleInstance
	repetition repetition
}

// moduleInstances returns the instances of the module at the path; none if its call was
// not expanded.
func (w *walk) moduleInstances(path addrs.Module) []moduleInstance {
	if path.IsRoot() {
		return []moduleInstance{{addr: addrs.RootModuleInstance}}
	}
	instances, _ := w.expanded.get(path.String())
	return instances
}

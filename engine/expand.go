package engine

import (
	"sort"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// repetitionMode is how a block is repeated.
type repetitionMode int

const (
	repeatNone repetitionMode = iota
	repeatCount
	repeatEach
	repeatUnknown
)

// repetition is what count.index, each.key and each.value are in one instance;
// cty.NilVal where they do not exist.
type repetition struct {
	index, key, value cty.Value
}

// expansion is the instances of a block.
type expansion struct {
	mode repetitionMode
	keys []addrs.InstanceKey
	each map[addrs.InstanceKey]repetition
}

func (x expansion) repetition(k addrs.InstanceKey) repetition { return x.each[k] }

// unknownRepetition is for validation, where instances do not exist.
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

// expand evaluates count or for_each of a block.
func (s *scope) expand(count, forEach hcl.Expression) (expansion, tfdiags.Diagnostics) {
	switch {
	case count != nil:
		return s.expandCount(count)
	case forEach != nil:
		return s.expandForEach(forEach)
	default:
		return expansion{mode: repeatNone, keys: []addrs.InstanceKey{addrs.NoKey}}, nil
	}
}

func (s *scope) expandCount(expr hcl.Expression) (expansion, tfdiags.Diagnostics) {
	invalid := func(detail string) (expansion, tfdiags.Diagnostics) {
		return expansion{mode: repeatUnknown}, at(expr.Range(), "Invalid count argument", detail)
	}
	v, diags := s.expr(expr, cty.Number)
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, marks := v.Unmark()
	if _, ephemeral := marks[lang.Ephemeral]; ephemeral {
		return invalid("The count comes from an ephemeral value, which is gone before the next run could count the instances again.")
	}
	switch {
	case v.IsNull():
		return invalid("\"count\" is null, and not a number of instances.")
	case !v.IsKnown():
		return invalid("How many instances \"count\" asks for is known after apply only. Apply first what it depends on, with these as targets.")
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
		return expansion{mode: repeatUnknown}, at(expr.Range(), "Invalid for_each argument", detail)
	}
	v, diags := s.expr(expr, cty.DynamicPseudoType)
	if diags.HasErrors() {
		return expansion{mode: repeatUnknown}, diags
	}
	v, marks := v.Unmark()
	if _, sensitive := marks[lang.Sensitive]; sensitive {
		return invalid("The value is sensitive, and its keys would be shown in the addresses of the instances.")
	}
	if _, ephemeral := marks[lang.Ephemeral]; ephemeral {
		return invalid("The value is ephemeral: it is gone before the next run could find the instances again.")
	}
	ty := v.Type()
	switch {
	case v.IsNull():
		return invalid("\"for_each\" is null, and neither a map nor a set of strings.")
	case !v.IsKnown():
		return invalid("Which instances \"for_each\" asks for is known after apply only. Use a map whose keys are known, or apply first what it depends on, with these as targets.")
	case !ty.IsMapType() && !ty.IsObjectType() && !ty.IsSetType():
		return invalid("\"for_each\" is a map or a set of strings, and this is of type " + ty.FriendlyName() + ".")
	}
	x := expansion{mode: repeatEach, each: map[addrs.InstanceKey]repetition{}}
	if ty.IsSetType() {
		if !v.IsWhollyKnown() {
			return invalid("Some elements of the set, which become keys, are known after apply only. Use a map whose keys are known.")
		}
		if v.LengthInt() > 0 && ty.ElementType() != cty.String {
			return invalid("The elements of a set for \"for_each\" are strings, as they become keys. These are of type " + ty.ElementType().FriendlyName() + ".")
		}
		for _, el := range v.AsValueSlice() {
			if el.IsNull() {
				return invalid("A null in the set for \"for_each\" cannot be a key.")
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

// moduleInstance is an instance of a module with what its call's arguments see.
type moduleInstance struct {
	addr       addrs.ModuleInstance
	repetition repetition
}

// expander knows the instances of each module.
type expander struct {
	mu sync.RWMutex
	m  map[string][]moduleInstance
}

func (x *expander) set(path addrs.Module, instances []moduleInstance) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.m[path.String()] = instances
}

// of are the instances of the module at the path; none where its call was not
// expanded.
func (x *expander) of(path addrs.Module) []moduleInstance {
	if path.IsRoot() {
		return []moduleInstance{{addr: addrs.RootModuleInstance}}
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.m[path.String()]
}

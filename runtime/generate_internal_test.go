package runtime

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// nestedPart is a nested struct with an attribute for each reason why a generated configuration
// differs from the state.
type nestedPart struct {
	Plain  string
	Ref    *string
	Other  *string
	Third  *int64  `tf:",optional,computed"`
	Serial string  `tf:",computed"`
	Secret *string `tf:",writeonly"`
	Count  *int64
	Deep   []innermost `tf:",optional"`
}

type innermost struct {
	Key   string
	Stamp int64 `tf:",computed"`
}

func (n *nestedPart) Defaults() { n.Count = new(int64(1)) }

func (*nestedPart) Constraints() []Constraint {
	return []Constraint{
		AtMostOneOf("ref", "other", "third"),
		ForbiddenWhen("third", "count", 2),
		AtMost("count", 2),
	}
}

// setElement has no write-only attribute, so it can be in a set, and no attribute that
// only the provider determines, because two elements that differ only in such an
// attribute would be equal in a configuration.
type setElement struct {
	Key    string
	Choice *string `tf:",optional,computed"`
	Size   *int64
}

func (s *setElement) Defaults() { s.Size = new(int64(1)) }

// randomField returns the type and the tag options of an input, whether the input can also be an
// output, and whether the provider can choose its value.
func (r *bytesReader) randomField() (t reflect.Type, options string, shared, chosen bool) {
	types := []struct {
		t              reflect.Type
		options        string
		shared, chosen bool
	}{
		{reflect.TypeFor[string](), "", true, false},
		{reflect.TypeFor[*string](), "", true, true},
		{reflect.TypeFor[*int64](), "", true, true},
		{reflect.TypeFor[*bool](), "", true, true},
		{reflect.TypeFor[Value[string]](), "", true, true},
		{reflect.TypeFor[cty.Value](), ",optional", true, true},
		{reflect.TypeFor[[]string](), ",optional", true, true},
		{reflect.TypeFor[[]string](), ",optional,set", true, true},
		{reflect.TypeFor[map[string]int64](), ",optional", true, true},
		{reflect.TypeFor[*string](), ",writeonly", false, false},
		{reflect.TypeFor[nestedPart](), "", true, false},
		{reflect.TypeFor[*nestedPart](), "", true, true},
		{reflect.TypeFor[[]nestedPart](), ",optional", true, true},
		{reflect.TypeFor[map[string]nestedPart](), ",optional", true, true},
		{reflect.TypeFor[[]setElement](), ",optional,set", true, true},
		{reflect.TypeFor[nestedPart](), ",block", true, false},
		{reflect.TypeFor[*nestedPart](), ",block", true, false},
		{reflect.TypeFor[[]nestedPart](), ",block", true, false},
		{reflect.TypeFor[[]setElement](), ",set,block", true, false},
	}
	it := types[r.pick(len(types))]
	return it.t, it.options, it.shared, it.chosen
}

// randomType returns a resource type without methods, with random defaults and rules.
func (r *bytesReader) randomType() (*managed, error) {
	var in, out []reflect.StructField
	for i := range 2 + r.pick(5) {
		t, options, shared, chosen := r.randomField()
		f := reflect.StructField{Name: fmt.Sprintf("Field%c", 'A'+i), Type: t, Tag: reflect.StructTag(fmt.Sprintf("tf:%q", options))}
		in = append(in, f)
		needed := t == reflect.TypeFor[nestedPart]() || t == reflect.TypeFor[*nestedPart]() || t.Kind() == reflect.Slice || t.Kind() == reflect.Map
		if shared && (needed || r.pick(2) == 1) {
			if chosen && r.pick(2) == 1 {
				f.Tag = reflect.StructTag(fmt.Sprintf("tf:%q", options+",computed"))
			}
			out = append(out, f)
		}
	}
	out = append(out, reflect.StructField{Name: "Total", Type: reflect.TypeFor[int64]()})
	m := &managed{typeName: "test_it", ops: &ops{inType: reflect.StructOf(in), outType: reflect.StructOf(out), configType: noConfigType}}
	m.newReceiver = func() receiver { return receiver{value: reflect.New(m.inType).Elem()} }
	var err error
	if m.form, err = newForm(formSpec{in: m.inType, out: m.outType, fresh: m.fresh}); err != nil {
		return nil, err
	}
	m.outputCodec = &m.codec
	var free []string // names for rules
	byName := make(map[string]*field)
	for _, a := range m.ins {
		byName[a.name] = a.in
		if a.class == classOptional && a.in.node.kind == kindPointer && a.node.innermost().kind != kindObject && !a.writeOnly() && r.pick(3) == 1 {
			filled := m.fresh()
			a.in.in(filled).Set(reflect.New(a.in.node.elem.goType))
			if err := setDefaults([]*attribute{a}, filled); err != nil {
				return nil, err
			}
		}
		if a.class != classRequired && !a.writeOnly() && !a.block() {
			free = append(free, a.name)
		}
	}
	for range r.pick(4) {
		if len(free) < 2 {
			break
		}
		a, b := r.pick(len(free)), r.pick(len(free))
		names := []string{free[a], free[b]}
		c := []Constraint{ExactlyOneOf(names...), AtMostOneOf(names...), AtLeastOneOf(names...), RequiredTogether(names...), ForbiddenWhen(free[a], free[b]), RequiredWhen(free[a], free[b])}[r.pick(6)]
		if bound, err := c.bind(byName); err == nil {
			m.rules.own = append(m.rules.own, bound)
		}
	}
	m.body = m.block("")
	return m, m.body.InternalValidate()
}

// config returns a configuration of fields, in which optional ones can be null.
func (r *bytesReader) config(fields []*field) cty.Value {
	values := make(map[string]cty.Value, len(fields))
	for _, f := range fields {
		switch {
		case f.computedOnly(), !f.required() && (!f.block || f.node.kind == kindPointer) && r.pick(2) == 1:
			values[f.name] = f.node.null
		default:
			values[f.name] = r.value(f.node, r.config)
		}
	}
	return cty.ObjectVal(values)
}

// whole returns an object as a provider does: it can have all attributes except write-only ones.
func (r *bytesReader) whole(fields []*field) cty.Value {
	values := make(map[string]cty.Value, len(fields))
	for _, f := range fields {
		values[f.name] = f.node.null
		if !f.writeOnly && (f.required() || r.pick(3) > 0) {
			values[f.name] = r.value(f.node, r.whole)
		}
	}
	return cty.ObjectVal(values)
}

func (r *bytesReader) value(n *node, object func([]*field) cty.Value) cty.Value {
	switch n := n.innermost(); n.kind {
	case kindString, kindDynamic:
		return cty.StringVal([]string{"", "a", "b", "c"}[r.pick(4)])
	case kindBool:
		return cty.BoolVal(r.pick(2) == 1)
	case kindInt:
		return cty.NumberIntVal(int64(r.pick(4)))
	case kindObject:
		return object(n.fields)
	case kindMap:
		elems := make(map[string]cty.Value)
		for i := range r.pick(3) {
			elems[string(rune('a'+i))] = r.value(n.elem, object)
		}
		if len(elems) == 0 {
			return n.empty()
		}
		return cty.MapVal(elems)
	default:
		elems := make([]cty.Value, r.pick(4))
		for i := range elems {
			elems[i] = r.value(n.elem, object)
		}
		switch {
		case len(elems) == 0:
			return n.empty()
		case n.kind == kindSet:
			return cty.SetVal(elems)
		default:
			return cty.ListVal(elems)
		}
	}
}

// apply replaces the unknown values of a plan with known ones.
func (r *bytesReader) apply(n *node, v cty.Value) cty.Value {
	inner := n.innermost()
	switch {
	case !v.IsKnown():
		return r.value(n, r.whole)
	case v.IsNull() || !n.hasObjects():
		return v
	case inner.kind == kindObject:
		values := v.AsValueMap()
		for _, f := range inner.fields {
			values[f.name] = r.apply(f.node, values[f.name])
		}
		return cty.ObjectVal(values)
	case v.LengthInt() == 0:
		return v
	case inner.kind == kindMap:
		values := v.AsValueMap()
		for i := range len(values) {
			key := string(rune('a' + i))
			values[key] = r.apply(inner.elem, values[key])
		}
		return cty.MapVal(values)
	}
	elems := v.AsValueSlice()
	for i, e := range elems {
		elems[i] = r.apply(inner.elem, e)
	}
	if inner.kind == kindSet {
		return cty.SetVal(elems)
	}
	return cty.ListVal(elems)
}

// generatesValidConfig creates an object of a random type from a valid configuration and
// checks that the configuration generated for it is valid and plans no change. It returns
// false if the input gives no valid configuration or plan.
func generatesValidConfig(t *testing.T, data []byte) bool {
	t.Helper()
	r := &bytesReader{data}
	m, err := r.randomType()
	if err != nil {
		return false
	}
	var ins []*field
	for _, a := range m.ins {
		ins = append(ins, a.in)
	}
	s := &server{config: noConfigPlan(), resources: map[string]*managed{"test_it": m}}
	s.buildSchema()
	p := guard.Wrap(s)
	written := r.config(ins).AsValueMap()
	for _, a := range m.attrs {
		if a.in == nil {
			written[a.name] = a.node.null
		}
	}
	config := cty.ObjectVal(written)
	if m.check(t.Context(), &call{}, config, m.fresh).HasErrors() {
		return false
	}
	plan := func(prior, config cty.Value) (cty.Value, diag.Diagnostics) {
		resp := p.PlanResourceChange(t.Context(), provider.PlanResourceChangeRequest{
			TypeName: "test_it", PriorState: prior, Config: config, ProposedNewState: objchange.ProposedNew(m.body, prior, config),
		})
		return resp.PlannedState, resp.Diagnostics
	}
	first, diags := plan(m.null, config)
	if diags.HasErrors() {
		return false // two elements of a set are equal
	}
	planned := first.AsValueMap()
	for _, a := range m.attrs {
		planned[a.name] = r.apply(a.node, planned[a.name])
	}
	state := cty.ObjectVal(planned)
	if objchange.AssertPlanValid(m.body, m.null, config, state) != nil {
		return false // two elements of a set have become equal
	}

	resp := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_it", State: state})
	for _, d := range resp.Diagnostics {
		t.Errorf("diagnostic of GenerateResourceConfig: %v, want none", d)
	}
	again, diags := plan(state, resp.Config)
	for _, d := range append(diags, m.check(t.Context(), &call{}, resp.Config, m.fresh)...) {
		t.Errorf("diagnostic of the plan or the validation of the generated configuration: %v, want none", d)
	}
	if !again.RawEquals(state) {
		t.Error("the generated configuration plans a change")
	}
	if t.Failed() {
		t.Fatalf("rules     %v\nstate     %#v\ngenerated %#v\nplanned   %#v", m.rules.own, state, resp.Config, again)
	}
	return true
}

// FuzzGenerateResourceConfig checks that the configuration generated for an object that
// was created from a valid configuration is valid and plans no change.
func FuzzGenerateResourceConfig(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{4, 12, 1, 0, 1, 1, 1, 6, 1, 0, 14, 0, 1, 3, 0, 1, 2, 2, 1, 0, 1, 1, 3, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) { generatesValidConfig(t, data) })
}

// TestGeneratedConfigurationChangesNothing checks the property of
// FuzzGenerateResourceConfig for many types, without fuzzing.
func TestGeneratedConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	valid := 0
	seed := uint64(1)
	for range 2000 {
		data := make([]byte, 120)
		for i := range data {
			seed = seed*6364136223846793005 + 1442695040888963407
			data[i] = byte(seed >> 56)
		}
		if generatesValidConfig(t, data) {
			valid++
		}
		if t.Failed() {
			return
		}
	}
	if valid < 500 {
		t.Errorf("only %d of the random types and configurations were valid, want at least 500", valid)
	}
}

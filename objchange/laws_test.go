package objchange_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// TestLaws checks the laws of FuzzLaws with pseudorandom inputs from a fixed seed.
func TestLaws(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		data := make([]byte, random.IntN(300))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		checkLaws(t, data)
		if t.Failed() {
			return
		}
	}
}

func FuzzLaws(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a few bytes make a small schema and small values for it"))
	f.Fuzz(checkLaws)
}

func checkLaws(t *testing.T, data []byte) {
	s := &source{data}
	schema, foreign := s.schema(), s.schema()
	if err := schema.InternalValidate(); err != nil {
		t.Fatalf("the generator returned an invalid schema: %v", err)
	}
	ty := schema.ImpliedType()
	noObject := cty.NullVal(ty)
	config := s.object(schema, asConfig)
	prior := s.object(schema, asPrior)
	for _, v := range []cty.Value{config, prior} {
		if errs := v.Type().TestConformance(ty); len(errs) > 0 {
			t.Fatalf("the generator returned a value that does not have the type of the schema: %v", errs)
		}
	}

	for _, prior := range []cty.Value{prior, noObject} {
		proposed := objchange.ProposedNew(schema, prior, config)
		if errs := proposed.Type().TestConformance(ty); len(errs) > 0 {
			t.Errorf("a proposed value does not have the type of the schema: %v", errs)
		}
		clean(t, "a proposed value is a valid plan", objchange.AssertPlanValid(schema, prior, config, proposed))
		clean(t, "the configuration is a valid plan", objchange.AssertPlanValid(schema, prior, config, config))
		clean(t, "a null object is a valid plan for a null configuration", objchange.AssertPlanValid(schema, prior, noObject, noObject))
		clean(t, "a completed plan is compatible with the plan", objchange.AssertObjectCompatible(schema, proposed, s.complete(proposed)))
	}
	clean(t, "the prior object is a valid plan for itself", objchange.AssertPlanValid(schema, prior, prior, prior))
	planned := objchange.PlannedDataResourceObject(schema, config)
	if errs := planned.Type().TestConformance(ty); len(errs) > 0 {
		t.Errorf("the planned data does not have the type of the schema: %v", errs)
	}
	clean(t, "planned data is a valid plan", objchange.AssertPlanValid(schema, noObject, config, planned))

	anything, other := s.object(schema, asAnything), s.object(schema, asAnything)
	clean(t, "a value is compatible with itself", objchange.AssertObjectCompatible(schema, anything, anything))
	stranger := s.object(foreign, asAnything)
	values := []cty.Value{
		config, prior, anything, other, stranger, noObject, cty.NilVal, cty.DynamicVal, cty.UnknownVal(ty),
		cty.StringVal(secret), anything.Mark("mark"), markLeaves(anything),
	}
	for i, a := range values {
		for _, b := range values {
			neverPanics(t, schema, prior, a, b)
		}
		neverPanics(t, schema, a, config, prior)
		neverPanics(t, foreign, a, values[(i+1)%len(values)], values[(i+2)%len(values)])
	}
	for _, a := range values[:4] {
		for _, b := range append(values[:4:4], a) {
			checkEqual(t, a, b)
		}
	}
	checkEqual(t, anything, recode(t, schema, anything))
}

func clean(t *testing.T, law string, errs []error) {
	t.Helper()
	for _, err := range errs {
		t.Errorf("%s, but: %s: %v", law, errorPaths(t, errs), err)
	}
}

// neverPanics checks that the functions that it calls do not panic, and that their errors are deterministic and
// contain no values.
func neverPanics(t *testing.T, schema *configschema.Block, a, b, c cty.Value) {
	t.Helper()
	objchange.ProposedNew(schema, a, b)
	objchange.PlannedDataResourceObject(schema, a)
	texts := func() []string {
		var texts []string
		for _, err := range append(objchange.AssertPlanValid(schema, a, b, c), objchange.AssertObjectCompatible(schema, b, c)...) {
			texts = append(texts, strings.Join(errorPaths(t, []error{err}), " ")+": "+err.Error())
			if strings.Contains(err.Error(), secret) {
				t.Errorf("an error contains a value: %v", err)
			}
		}
		return texts
	}
	if diff := cmp.Diff(texts(), texts()); diff != "" {
		t.Errorf("two results for the same arguments differ:\n%s", diff)
	}
}

// checkEqual compares the results of Equal and EqualExact with those of RawEquals of cty, which is slower.
func checkEqual(t *testing.T, a, b cty.Value) {
	t.Helper()
	if got, want := objchange.EqualExact(a, b), a.RawEquals(b); got != want {
		t.Errorf("EqualExact %t, cty %t:\n%#v\n%#v", got, want, a, b)
	}
	if got, want := objchange.Equal(a, b), unrefined(a).RawEquals(unrefined(b)); got != want {
		t.Errorf("Equal %t, cty %t:\n%#v\n%#v", got, want, a, b)
	}
}

func unrefined(v cty.Value) cty.Value {
	v, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return v
}

func markLeaves(v cty.Value) cty.Value {
	v, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type().IsPrimitiveType() {
			return v.Mark("mark"), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return v
}

package runtime_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// finder lists nothing, for embedding.
type finder[Out any] struct{}

func (finder[Out]) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*Out], error] {
	return func(func(runtime.Listed[*Out], error) bool) {}
}

// doer does nothing, for embedding.
type doer struct{}

func (doer) Invoke(context.Context, runtime.NoConfig, func(string)) error { return nil }

// Each type below except thingFinder has one mistake, or is a part of a type with one.
type (
	thingFinder  struct{ finder[ThingOutput] }
	otherFinder  struct{ finder[none] }
	secretFinder struct {
		finder[ThingOutput]
		A *string `tf:",writeonly"`
	}
	deepSecretFinder struct {
		finder[ThingOutput]
		A []hushedPart
	}
	hushedPart struct {
		B string `tf:",optional,writeonly"`
	}
	nearValidateFinder struct{ finder[ThingOutput] }
	clientFinder       struct{}
	badDoer            struct {
		doer
		A chan int
	}
	nearDefaultsDoer struct{ doer }
	nearValidateDoer struct{ doer }
	nearPlanDoer     struct{ doer }
	setOfSecretsDoer struct {
		doer
		A []hushedPart `tf:",set"`
	}
	ghostConstraintDoer struct{ doer }
	numberDoer          int
)

func (*nearValidateFinder) ValidateInputs(context.Context) error { return nil }
func (*nearDefaultsDoer) Defaults() error                        { return nil }
func (*nearValidateDoer) ValidateInputs(runtime.NoConfig) error  { return nil }
func (*nearPlanDoer) PlanAction(context.Context) error           { return nil }
func (*ghostConstraintDoer) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("a", "b")}
}

func (*clientFinder) List(context.Context, *client, runtime.ListRequest) iter.Seq2[runtime.Listed[*ThingOutput], error] {
	return nil
}

func (*numberDoer) Invoke(context.Context, runtime.NoConfig, func(string)) error { return nil }

func TestInvalidListResourcesAndActions(t *testing.T) {
	t.Parallel()
	thing := map[string]runtime.ResourceRegistration{"x": newStore().registration()}
	list := func(resources map[string]runtime.ResourceRegistration, reg runtime.ListRegistration) runtime.Definition {
		return runtime.Definition{Name: "test", Resources: resources, Lists: map[string]runtime.ListRegistration{"x": reg}}
	}
	does := func(reg runtime.ActionRegistration) runtime.Definition {
		return runtime.Definition{Name: "test", Actions: map[string]runtime.ActionRegistration{"x": reg}}
	}
	finds := runtime.MakeLister[thingFinder, *ThingOutput, runtime.NoConfig]()
	for name, tt := range map[string]struct {
		def  runtime.Definition
		want []string
	}{
		"list without managed resource":      {list(nil, finds), []string{"list resource test_x", "no managed resource with the same name"}},
		"list without identity":              {list(map[string]runtime.ResourceRegistration{"x": runtime.MakeResource[File, *FileOutput, runtime.NoConfig]()}, finds), []string{"list resource test_x", "no identity"}},
		"list of another type":               {list(thing, runtime.MakeLister[otherFinder, *none, runtime.NoConfig]()), []string{"*runtime_test.none", "*runtime_test.ThingOutput"}},
		"write-only in a list":               {list(thing, runtime.MakeLister[secretFinder, *ThingOutput, runtime.NoConfig]()), []string{"secretFinder.A", "writeonly"}},
		"nested write-only in a list":        {list(thing, runtime.MakeLister[deepSecretFinder, *ThingOutput, runtime.NoConfig]()), []string{"deepSecretFinder.A", "writeonly"}},
		"near miss in a list":                {list(thing, runtime.MakeLister[nearValidateFinder, *ThingOutput, runtime.NoConfig]()), []string{"ValidateInputs", "func(context.Context) error", "runtime.NoConfig) error"}},
		"list with another Config":           {list(thing, runtime.MakeLister[clientFinder, *ThingOutput, *client]()), []string{"*runtime_test.client"}},
		"empty list registration":            {list(thing, runtime.ListRegistration{}), []string{"registration is empty"}},
		"unsupported type in an action":      {does(runtime.MakeAction[badDoer, runtime.NoConfig]()), []string{"action test_x", "badDoer.A", "chan int"}},
		"near miss Defaults":                 {does(runtime.MakeAction[nearDefaultsDoer, runtime.NoConfig]()), []string{"Defaults", "must be func()"}},
		"near miss ValidateInputs":           {does(runtime.MakeAction[nearValidateDoer, runtime.NoConfig]()), []string{"ValidateInputs", "func(runtime.NoConfig) error", "func(context.Context, runtime.NoConfig) error"}},
		"near miss PlanAction":               {does(runtime.MakeAction[nearPlanDoer, runtime.NoConfig]()), []string{"PlanAction", "func(context.Context) error", "func(context.Context, runtime.NoConfig) error"}},
		"write-only in a set":                {does(runtime.MakeAction[setOfSecretsDoer, runtime.NoConfig]()), []string{"setOfSecretsDoer.A", "writeonly"}},
		"constraint of an unknown attribute": {does(runtime.MakeAction[ghostConstraintDoer, runtime.NoConfig]()), []string{"Constraints", `"a"`}},
		"action other than a struct":         {does(runtime.MakeAction[numberDoer, runtime.NoConfig]()), []string{"configuration of an action", "struct"}},
		"empty action registration":          {does(runtime.ActionRegistration{}), []string{"registration is empty"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.New(tt.def)
			if err == nil {
				t.Fatalf("New: got no error, want one with %q", tt.want)
			}
			for _, word := range tt.want {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, err)
				}
			}
		})
	}
}

// TestListOfABrokenResource checks that the mistake of the managed resource is reported
// once, not again for its list.
func TestListOfABrokenResource(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"x": runtime.MakeResource[nearEverything, *none, runtime.NoConfig]()},
		Lists: map[string]runtime.ListRegistration{
			"x": runtime.MakeLister[otherFinder, *none, runtime.NoConfig](),
			"y": runtime.MakeLister[otherFinder, *none, runtime.NoConfig](),
		},
	})
	if err == nil || strings.Contains(err.Error(), "list resource test_x") || !strings.Contains(err.Error(), "list resource test_y: there is no managed resource") {
		t.Errorf("New: want errors about the managed resource and the list resource test_y only, got %v", err)
	}
}

// TestSchemaOfListResourcesAndActions checks the schemas of configurations that are
// never stored: nothing is computed, and attributes may have any name, because they are
// in a block of their own.
func TestSchemaOfListResourcesAndActions(t *testing.T) {
	t.Parallel()
	s := newStore()
	lists := s.listing(t).GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ListResourceTypes["test_thing"].Body
	actions := s.ringing(t).GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).Actions["test_ring"].Body
	for name, attr := range lists.Attributes {
		if !attr.Optional || attr.Computed || attr.WriteOnly {
			t.Errorf("list: %s is %+v", name, attr)
		}
	}
	for name, attr := range actions.Attributes {
		if !attr.Optional || attr.Computed || attr.WriteOnly != (name == "secret") {
			t.Errorf("action: %s is %+v", name, attr)
		}
	}
	if _, err := runtime.New(runtime.Definition{Name: "test", Actions: map[string]runtime.ActionRegistration{"x": runtime.MakeAction[counter, runtime.NoConfig]()}}); err != nil {
		t.Error(err)
	}
}

type counter struct {
	doer
	Count int
}

package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// source is a data source and an ephemeral resource that does nothing, for embedding.
type source[Out, Session any] struct{}

func (source[Out, Session]) Read(context.Context, runtime.NoConfig) (Out, error) {
	return *new(Out), nil
}

func (source[Out, Session]) Open(context.Context, runtime.NoConfig) (Out, runtime.Lease[Session], error) {
	return *new(Out), runtime.Lease[Session]{}, nil
}

// Each type below has one mistake.
type (
	sourceSecret struct {
		source[*none, runtime.NoSession] `tf:"-"`
		A                                string `tf:",optional,writeonly"`
	}
	sourceSecretInside struct {
		source[*none, runtime.NoSession] `tf:"-"`
		A                                *secretPart
	}
	sourceReserved struct {
		source[*none, runtime.NoSession] `tf:"-"`
		Count                            int
	}
	sourceNearValidate struct {
		source[*none, runtime.NoSession] `tf:"-"`
	}
	sourceNearDefaults struct {
		source[*none, runtime.NoSession] `tf:"-"`
	}
	sourceGhost struct {
		source[*none, runtime.NoSession] `tf:"-"`
		A                                *string
	}
	sourceDiffer struct {
		source[*differOut, runtime.NoSession] `tf:"-"`
		A                                     string
	}
	sourceOther struct {
		source[none, runtime.NoSession] `tf:"-"`
	}
	sourceConfig   struct{}
	sourceNoStruct string
)

func (sourceNearValidate) ValidateInputs(context.Context) error { return nil }
func (sourceNearDefaults) Defaults() error                      { return nil }
func (sourceGhost) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("a", "b")}
}

func (sourceConfig) Read(context.Context, plainConfig) (*none, error) { return nil, nil } //nolint:nilnil // never called
func (sourceConfig) Open(context.Context, plainConfig) (*none, runtime.Lease[runtime.NoSession], error) {
	return nil, runtime.Lease[runtime.NoSession]{}, nil
}

func (sourceNoStruct) Read(context.Context, runtime.NoConfig) (*none, error) { return nil, nil } //nolint:nilnil // never called
func (sourceNoStruct) Open(context.Context, runtime.NoConfig) (*none, runtime.Lease[runtime.NoSession], error) {
	return nil, runtime.Lease[runtime.NoSession]{}, nil
}

// both returns two definitions: one with the struct as a data source, and one with it as an ephemeral resource.
func both[In, Out, Config any, P interface {
	*In
	runtime.TypedDataSource[Out, Config]
	runtime.TypedEphemeral[Out, runtime.NoSession, Config]
}]() []runtime.Definition {
	return []runtime.Definition{
		{DataSources: map[string]runtime.DataSourceRegistration{"x": runtime.MakeDataSource[In, Out, Config, P]()}},
		{EphemeralResources: map[string]runtime.EphemeralRegistration{"x": runtime.MakeEphemeral[In, Out, runtime.NoSession, Config, P]()}},
	}
}

func TestMistakesOfSources(t *testing.T) {
	t.Parallel()
	none1 := runtime.Definition{DataSources: map[string]runtime.DataSourceRegistration{"x": {}}}
	none2 := runtime.Definition{EphemeralResources: map[string]runtime.EphemeralRegistration{"x": {}}}
	for name, tt := range map[string]struct {
		defs []runtime.Definition
		want []string
	}{
		"write-only input":         {both[sourceSecret, *none, runtime.NoConfig](), []string{"sourceSecret.A", "writeonly", "sensitive"}},
		"write-only inside":        {both[sourceSecretInside, *none, runtime.NoConfig](), []string{"sourceSecretInside.A", "writeonly"}},
		"reserved name":            {both[sourceReserved, *none, runtime.NoConfig](), []string{"sourceReserved.Count", "reserved"}},
		"near miss ValidateInputs": {both[sourceNearValidate, *none, runtime.NoConfig](), []string{"ValidateInputs", "func(context.Context) error", "runtime.NoConfig) error"}},
		"near miss Defaults":       {both[sourceNearDefaults, *none, runtime.NoConfig](), []string{"Defaults", "must be func()"}},
		"unknown constraint field": {both[sourceGhost, *none, runtime.NoConfig](), []string{"Constraints", `"b"`}},
		"shared, different types":  {both[sourceDiffer, *differOut, runtime.NoConfig](), []string{"sourceDiffer.A", "differOut.A"}},
		"outputs by value":         {both[sourceOther, none, runtime.NoConfig](), []string{"outputs", "pointer to a struct"}},
		"inputs other than a struct": {
			both[sourceNoStruct, *none, runtime.NoConfig](), []string{"must be a struct", "sourceNoStruct"},
		},
		"another configuration": {both[sourceConfig, *none, plainConfig](), []string{"plainConfig", "runtime.NoConfig"}},
		"empty registration":    {[]runtime.Definition{none1, none2}, []string{"registration is empty"}},
	} {
		for _, def := range tt.defs {
			kind := "data source"
			if def.DataSources == nil {
				kind = "ephemeral resource"
			}
			t.Run(name+" of "+kind, func(t *testing.T) {
				t.Parallel()
				def.Name = "test"
				refusedWith(t, def, append(tt.want, kind+" test_x")...)
			})
		}
	}
}

// managedSource is a data source or an ephemeral resource that was written like a
// managed resource.
type managedSource struct {
	source[*none, runtime.NoSession] `tf:"-"`
}

func (*managedSource) Create(context.Context, runtime.NoConfig) (*none, error) { return nil, nil } //nolint:nilnil // never called
func (*managedSource) Delete(context.Context, runtime.NoConfig, *none) error   { return nil }
func (*managedSource) EquivalentInput(string, managedSource, managedSource) bool {
	return false
}
func (*managedSource) PlanOutputs()                    {}
func (*managedSource) Migrations() []runtime.Migration { return nil }
func (*managedSource) Locks(runtime.NoConfig) []string { return nil }

// opened is both an ephemeral resource and a managed one.
type opened struct {
	crud[opened, none] `tf:"-"`
}

func (*opened) Open(context.Context, runtime.NoConfig) (*none, runtime.Lease[runtime.NoSession], error) {
	return nil, runtime.Lease[runtime.NoSession]{}, nil
}
func (*opened) Locks(runtime.NoConfig) []string { return nil }

// TestUncalledMethods checks that methods of managed resources are errors in data sources and
// ephemeral resources, except in an ephemeral resource that is also a managed resource.
func TestUncalledMethods(t *testing.T) {
	t.Parallel()
	for _, def := range both[managedSource, *none, runtime.NoConfig]() {
		def.Name = "test"
		var want []string
		for _, method := range []string{"Create", "Delete", "EquivalentInput", "PlanOutputs", "Migrations", "Locks"} {
			want = append(want, "method "+method+" would never be called")
		}
		refusedWith(t, def, want...)
	}
	newProvider(t, runtime.Definition{
		Name:               "test",
		Resources:          map[string]runtime.ResourceRegistration{"x": runtime.MakeResource[opened, *none, runtime.NoConfig]()},
		EphemeralResources: map[string]runtime.EphemeralRegistration{"x": runtime.MakeEphemeral[opened, *none, runtime.NoSession, runtime.NoConfig]()},
	})
}

// refusedWith fails the test unless New returns an error with these words.
func refusedWith(t *testing.T, def runtime.Definition, want ...string) {
	t.Helper()
	_, err := runtime.New(def)
	if err == nil {
		t.Fatal("registered without an error")
	}
	for _, text := range want {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not contain %q: %v", text, err)
		}
	}
}

func TestUnknownSources(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test"})
	ctx := t.Context()
	for name, diags := range map[string]interface{ Error() string }{
		"validate data":      p.ValidateDataResourceConfig(ctx, provider.ValidateDataResourceConfigRequest{TypeName: "test_x"}).Diagnostics,
		"read":               p.ReadDataSource(ctx, provider.ReadDataSourceRequest{TypeName: "test_x"}).Diagnostics,
		"validate ephemeral": p.ValidateEphemeralResourceConfig(ctx, provider.ValidateEphemeralResourceConfigRequest{TypeName: "test_x"}).Diagnostics,
		"open":               p.OpenEphemeralResource(ctx, provider.OpenEphemeralResourceRequest{TypeName: "test_x"}).Diagnostics,
		"renew":              p.RenewEphemeralResource(ctx, provider.RenewEphemeralResourceRequest{TypeName: "test_x"}).Diagnostics,
		"close":              p.CloseEphemeralResource(ctx, provider.CloseEphemeralResourceRequest{TypeName: "test_x"}).Diagnostics,
	} {
		if !strings.Contains(diags.Error(), `"test_x"`) || !strings.Contains(diags.Error(), "Unknown") {
			t.Errorf("%s: got %s, want an error about the unknown type test_x", name, diags.Error())
		}
	}
}

// TestSchemaOfADataSource checks that outputs are computed, and inputs with a default or a computed output are
// both optional and computed.
func TestSchemaOfADataSource(t *testing.T) {
	t.Parallel()
	p := lookups(t, nil)
	got := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).DataSources["test_lookup"].Body
	nested := func(required, optional, computed bool, ty cty.Type) *configschema.Attribute {
		return &configschema.Attribute{Type: ty, Required: required, Optional: optional, Computed: computed}
	}
	want := map[string]*configschema.Attribute{
		"name":   nested(true, false, false, cty.String),
		"limit":  nested(false, true, false, cty.Number),
		"region": nested(false, true, true, cty.String),
		"quiet":  nested(false, true, true, cty.Bool),
		"wait":   nested(false, true, false, cty.String),
		"policy": nested(false, true, false, cty.String),
		"choice": nested(false, true, true, cty.String),
		"maybe":  nested(false, true, false, cty.String),
		"serial": nested(false, false, true, cty.Number),
		"extra":  nested(false, false, true, cty.DynamicPseudoType),
		"ports": {Optional: true, NestedType: &configschema.Object{Nesting: configschema.NestingList, Attributes: map[string]*configschema.Attribute{
			"number":   nested(true, false, false, cty.Number),
			"protocol": nested(false, true, true, cty.String),
			"service":  nested(false, false, true, cty.String),
		}}},
	}
	options := []cmp.Option{
		cmpopts.IgnoreFields(configschema.Attribute{}, "Description", "DescriptionKind"),
		cmp.Comparer(func(a, b cty.Type) bool {
			return a == cty.NilType && b == cty.NilType || a != cty.NilType && b != cty.NilType && a.Equals(b)
		}),
	}
	if diff := cmp.Diff(want, got.Attributes, options...); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

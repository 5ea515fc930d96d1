package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Each type below has one mistake about timeouts or locks.
type (
	misnamedTimeouts struct {
		crud[misnamedTimeouts, none] `tf:"-"`
		Limits                       *runtime.Timeouts
	}
	requiredTimeouts struct {
		crud[requiredTimeouts, none] `tf:"-"`
		Timeouts                     runtime.Timeouts
	}
	valueTimeouts struct {
		crud[valueTimeouts, none] `tf:"-"`
		Timeouts                  runtime.Value[runtime.Timeouts]
	}
	embeddedTimeouts struct {
		crud[embeddedTimeouts, none] `tf:"-"`
		runtime.Timeouts
	}
	ownTimeouts struct {
		crud[ownTimeouts, none] `tf:"-"`
		Timeouts                *struct{ Create *runtime.Duration }
	}
	manyTimeouts struct {
		crud[manyTimeouts, none] `tf:"-"`
		Timeouts                 []runtime.Timeouts `tf:",optional"`
	}
	innerTimeouts struct {
		crud[innerTimeouts, none] `tf:"-"`
		Part                      *struct{ Timeouts *runtime.Timeouts }
	}
	readTimeouts struct {
		crud[readTimeouts, none] `tf:"-"`
		Timeouts                 *runtime.ReadTimeout
	}
	secretTimeouts struct {
		crud[secretTimeouts, none] `tf:"-"`
		Timeouts                   *runtime.Timeouts `tf:",sensitive"`
	}
	returnedTimeouts struct {
		crud[returnedTimeouts, timeoutsOut] `tf:"-"`
		Timeouts                            *runtime.Timeouts
	}
	timeoutsOut      struct{ Timeouts *runtime.Timeouts }
	replacedTimeouts struct {
		crud[replacedTimeouts, none] `tf:"-"`
		Timeouts                     *runtime.Timeouts
	}
	filledTimeouts struct {
		crud[filledTimeouts, none] `tf:"-"`
		Timeouts                   *runtime.Timeouts
	}
	negativeTimeouts struct {
		crud[negativeTimeouts, none] `tf:"-"`
	}
	nearTimeouts struct {
		crud[nearTimeouts, none] `tf:"-"`
	}
	nearLocks struct {
		crud[nearLocks, none] `tf:"-"`
	}
	dataTimeouts struct{ Timeouts *runtime.Timeouts }
	dataCreates  struct{ A *string }
	openTimeouts struct{ Timeouts *runtime.ReadTimeout }
	openLimits   struct{ A *string }
)

// The methods of embeddedTimeouts take precedence over the promoted fields.

func (*embeddedTimeouts) Create(context.Context, runtime.NoConfig) (*none, error) {
	return &none{}, nil
}

func (*embeddedTimeouts) Read(context.Context, runtime.NoConfig, *none) (*none, error) {
	return &none{}, nil
}

func (*embeddedTimeouts) Update(context.Context, runtime.NoConfig, runtime.Prior[embeddedTimeouts, *none]) (*none, error) {
	return &none{}, nil
}
func (*embeddedTimeouts) Delete(context.Context, runtime.NoConfig, *none) error { return nil }

func (*replacedTimeouts) ReplaceFields() []string { return []string{"timeouts"} }
func (f *filledTimeouts) Defaults()               { f.Timeouts = &runtime.Timeouts{Create: new(runtime.Duration)} }

func (*negativeTimeouts) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Delete: -time.Second}
}
func (*nearTimeouts) OperationTimeouts() time.Duration { return 0 }
func (*nearLocks) Locks() []string                     { return nil }

func (*dataTimeouts) Read(context.Context, runtime.NoConfig) (*none, error) { return &none{}, nil }
func (*dataCreates) Read(context.Context, runtime.NoConfig) (*none, error)  { return &none{}, nil }
func (*dataCreates) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{Create: 1}
}

func (*openTimeouts) Open(context.Context, runtime.NoConfig) (*none, runtime.Lease[runtime.NoSession], error) {
	return &none{}, runtime.Lease[runtime.NoSession]{}, nil
}

func (*openLimits) Open(context.Context, runtime.NoConfig) (*none, runtime.Lease[runtime.NoSession], error) {
	return &none{}, runtime.Lease[runtime.NoSession]{}, nil
}

func (*openLimits) OperationTimeouts() runtime.OperationTimeouts {
	return runtime.OperationTimeouts{}
}

func resourceOnly(reg runtime.ResourceRegistration) runtime.Definition {
	return runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"x": reg}}
}

func TestInvalidTimeoutsAndLocks(t *testing.T) {
	t.Parallel()
	data := func(reg runtime.DataSourceRegistration) runtime.Definition {
		return runtime.Definition{Name: "test", DataSources: map[string]runtime.DataSourceRegistration{"x": reg}}
	}
	open := func(reg runtime.EphemeralRegistration) runtime.Definition {
		return runtime.Definition{Name: "test", EphemeralResources: map[string]runtime.EphemeralRegistration{"x": reg}}
	}
	for name, tt := range map[string]struct {
		def  runtime.Definition
		want []string
	}{
		"field with another name":           {resourceOnly(runtime.MakeResource[misnamedTimeouts, *none, runtime.NoConfig]()), []string{"misnamedTimeouts.Limits", `"limits"`}},
		"required":                          {resourceOnly(runtime.MakeResource[requiredTimeouts, *none, runtime.NoConfig]()), []string{"requiredTimeouts.Timeouts", "*runtime.Timeouts"}},
		"a Value":                           {resourceOnly(runtime.MakeResource[valueTimeouts, *none, runtime.NoConfig]()), []string{"valueTimeouts.Timeouts", "make the field a *runtime.Timeouts"}},
		"embedded":                          {resourceOnly(runtime.MakeResource[embeddedTimeouts, *none, runtime.NoConfig]()), []string{"embeddedTimeouts", "embedded"}},
		"field of another type":             {resourceOnly(runtime.MakeResource[ownTimeouts, *none, runtime.NoConfig]()), []string{"ownTimeouts.Timeouts", "*runtime.Timeouts"}},
		"a list":                            {resourceOnly(runtime.MakeResource[manyTimeouts, *none, runtime.NoConfig]()), []string{"manyTimeouts.Timeouts", "one field"}},
		"nested field":                      {resourceOnly(runtime.MakeResource[innerTimeouts, *none, runtime.NoConfig]()), []string{"innerTimeouts.Part", "one field"}},
		"ReadTimeout in a resource":         {resourceOnly(runtime.MakeResource[readTimeouts, *none, runtime.NoConfig]()), []string{"readTimeouts.Timeouts", "*runtime.Timeouts"}},
		"sensitive":                         {resourceOnly(runtime.MakeResource[secretTimeouts, *none, runtime.NoConfig]()), []string{"secretTimeouts.Timeouts", "sensitive"}},
		"output field":                      {resourceOnly(runtime.MakeResource[returnedTimeouts, *timeoutsOut, runtime.NoConfig]()), []string{"returnedTimeouts.Timeouts", "output"}},
		"replace field":                     {resourceOnly(runtime.MakeResource[replacedTimeouts, *none, runtime.NoConfig]()), []string{"ReplaceFields", "timeouts"}},
		"field with a default":              {resourceOnly(runtime.MakeResource[filledTimeouts, *none, runtime.NoConfig]()), []string{"filledTimeouts.Timeouts", "OperationTimeouts"}},
		"negative":                          {resourceOnly(runtime.MakeResource[negativeTimeouts, *none, runtime.NoConfig]()), []string{"OperationTimeouts", "Delete is negative"}},
		"near miss OperationTimeouts":       {resourceOnly(runtime.MakeResource[nearTimeouts, *none, runtime.NoConfig]()), []string{"OperationTimeouts", "func() time.Duration", "func() runtime.OperationTimeouts"}},
		"near miss Locks":                   {resourceOnly(runtime.MakeResource[nearLocks, *none, runtime.NoConfig]()), []string{"Locks", "func() []string", "func(runtime.NoConfig) []string"}},
		"Timeouts in a data source":         {data(runtime.MakeDataSource[dataTimeouts, *none, runtime.NoConfig]()), []string{"dataTimeouts.Timeouts", "*runtime.ReadTimeout"}},
		"create timeout of a data source":   {data(runtime.MakeDataSource[dataCreates, *none, runtime.NoConfig]()), []string{"OperationTimeouts", "no Create"}},
		"timeouts of an ephemeral resource": {open(runtime.MakeEphemeral[openTimeouts, *none, runtime.NoSession, runtime.NoConfig]()), []string{"openTimeouts.Timeouts", "only resources and data sources"}},
		"OperationTimeouts of an ephemeral resource": {open(runtime.MakeEphemeral[openLimits, *none, runtime.NoSession, runtime.NoConfig]()), []string{"OperationTimeouts", "only resources and data sources"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := runtime.New(tt.def)
			if err == nil {
				t.Fatalf("New: got no error, want one with %q", tt.want)
			}
			for _, word := range append(tt.want, "test_x") {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("the error does not contain %q: %v", word, err)
				}
			}
		})
	}
}

// Valid types.
type (
	blockTimeouts struct {
		crud[blockTimeouts, none] `tf:"-"`
		Timeouts                  *runtime.Timeouts `tf:",block"`
	}
	optionalTimeouts struct {
		crud[optionalTimeouts, none] `tf:"-"`
		Timeouts                     runtime.Timeouts `tf:",optional"`
	}
	secondsTimeouts struct {
		crud[secondsTimeouts, none] `tf:"-"`
		Timeouts                    *int64
	}
)

func (*blockTimeouts) Create(ctx context.Context, _ runtime.NoConfig) (*none, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (*optionalTimeouts) Create(ctx context.Context, _ runtime.NoConfig) (*none, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestFormsOfTimeouts(t *testing.T) {
	t.Parallel()
	newProvider(t, resourceOnly(runtime.MakeResource[secondsTimeouts, *none, runtime.NoConfig]()))
	for want, reg := range map[string]runtime.ResourceRegistration{
		`timeouts { create = "2ms" }`:   runtime.MakeResource[blockTimeouts, *none, runtime.NoConfig](),
		`timeouts = { create = "2ms" }`: runtime.MakeResource[optionalTimeouts, *none, runtime.NoConfig](),
	} {
		d := newDriver(t, newProvider(t, resourceOnly(reg)), "test_x")
		config := d.config(attrs{"timeouts": timeouts(map[string]string{"create": "1ms"})})
		wantTimeout(t, d.applyPlan(config, d.plan(config)), "Creating test_x took too long", cty.GetAttrPath("timeouts").GetAttr("create"), want)
	}
}

func TestSchemaOfTimeouts(t *testing.T) {
	t.Parallel()
	p := (&slowWorld{}).driver(t).p
	a := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes["test_slow"].Body.Attributes["timeouts"]
	if !a.Optional || a.Computed || a.NestedType == nil || a.NestedType.Nesting != configschema.NestingSingle {
		t.Fatalf("timeouts is %#v, want an optional nested object that is not computed", a)
	}
	for _, name := range []string{"create", "read", "update", "delete"} {
		inner := a.NestedType.Attributes[name]
		if !inner.Optional || inner.Computed || inner.Type != cty.String || !strings.Contains(inner.Description, "1h30m") {
			t.Errorf("%s is %#v, want an optional string whose description contains 1h30m", name, inner)
		}
	}
}

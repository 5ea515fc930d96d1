package mistake

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// Ours returns a server of the resource on this repository's runtime, with the mistake. The error is
// [Impossible], or that of the runtime if the runtime detects the mistake when it starts.
func Ours(ctx context.Context, kind Kind) (tfplugin.ProviderServer, error) {
	registration := runtime.MakeResourceWith[thing, *thingOutput, runtime.NoConfig](func() *thing { return &thing{kind: kind} })
	switch kind {
	case InvalidPlan:
		return nil, Impossible("it plans configured values itself")
	case NearMiss:
		registration = runtime.MakeResource[nearMiss, *thingOutput, runtime.NoConfig]()
	}
	p, err := runtime.New(runtime.Definition{
		Name: providerName, Resources: map[string]runtime.ResourceRegistration{"thing": registration},
	})
	if err != nil {
		return nil, err
	}
	return tfprotov6.NewServer(ctx, guard.Wrap(p))
}

type thing struct {
	Name  string
	Label string `tf:",optional"`

	kind Kind
}

type thingOutput struct {
	Name  string
	Label string `tf:",optional"`
	Size  runtime.Value[int64]

	read bool
}

type thingID struct{ Name string }

func (*thing) SchemaVersion() int      { return 0 }
func (*thing) ReplaceFields() []string { return nil }

func (t *thing) Defaults() {
	if t.kind == BadDefault {
		t.Label = otherText
	}
}

func (t *thing) Constraints() []runtime.Constraint {
	switch t.kind {
	case UnknownName:
		return []runtime.Constraint{runtime.AtMostOneOf("label", "lable")}
	case BadDefault:
		return []runtime.Constraint{runtime.OneOf("label", "a", "b")}
	}
	return nil
}

func (t *thing) Identity(_ runtime.NoConfig, out *thingOutput) thingID {
	if t.kind == OtherIdentity && out.read {
		return thingID{otherText}
	}
	return thingID{out.Name}
}

func (*thing) ModifyResourcePlan(runtime.ResourcePlanRequest[thing, *thingOutput, runtime.NoConfig], *runtime.ResourcePlanResponse) error {
	return nil // an update changes no output
}

func (t *thing) output() *thingOutput {
	return &thingOutput{Name: t.Name, Label: t.Label, Size: runtime.Known[int64](size)}
}

func (t *thing) Create(context.Context, runtime.NoConfig) (*thingOutput, error) {
	out := t.output()
	switch t.kind {
	case UnknownOutput:
		out.Size = runtime.Unknown[int64]()
	case OtherValue:
		out.Label = otherText
	case NoObject:
		return nil, nil //nolint:nilnil // the mistake under test
	case Panics:
		panic("create")
	}
	return out, nil
}

func (t *thing) Read(_ context.Context, _ runtime.NoConfig, prior *thingOutput) (*thingOutput, error) {
	out := *prior
	out.read = true
	return &out, nil
}

func (t *thing) Update(context.Context, runtime.NoConfig, runtime.Prior[thing, *thingOutput]) (*thingOutput, error) {
	out := t.output()
	if t.kind == BrokenPromise {
		out.Size = runtime.Known[int64](otherSize)
	}
	return out, nil
}

func (*thing) Delete(context.Context, runtime.NoConfig, *thingOutput) error { return nil }

// nearMiss has a method EquivalentInput that takes pointers.
type nearMiss struct {
	Name  string
	Label string `tf:",optional"`
}

func (*nearMiss) SchemaVersion() int      { return 0 }
func (*nearMiss) ReplaceFields() []string { return nil }

func (*nearMiss) EquivalentInput(string, *nearMiss, *nearMiss) bool { return true }

func (*nearMiss) Create(context.Context, runtime.NoConfig) (*thingOutput, error) {
	return &thingOutput{}, nil
}

func (*nearMiss) Read(context.Context, runtime.NoConfig, *thingOutput) (*thingOutput, error) {
	return &thingOutput{}, nil
}

func (*nearMiss) Update(context.Context, runtime.NoConfig, runtime.Prior[nearMiss, *thingOutput]) (*thingOutput, error) {
	return &thingOutput{}, nil
}

func (*nearMiss) Delete(context.Context, runtime.NoConfig, *thingOutput) error { return nil }

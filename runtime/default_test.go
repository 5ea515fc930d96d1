package runtime_test

import (
	"context"
	"testing"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lamp has an optional input only because of its default.
type Lamp struct{ Color string }

type LampOut struct{ Color string }

func (*Lamp) SchemaVersion() int      { return 0 }
func (*Lamp) ReplaceFields() []string { return nil }
func (l *Lamp) Defaults()             { l.Color = "white" }

func (l *Lamp) Create(context.Context, runtime.NoConfig) (*LampOut, error) {
	return &LampOut{l.Color}, nil
}

func (*Lamp) Read(_ context.Context, _ runtime.NoConfig, prior *LampOut) (*LampOut, error) {
	return prior, nil
}

func (l *Lamp) Update(context.Context, runtime.NoConfig, runtime.Prior[Lamp, *LampOut]) (*LampOut, error) {
	return &LampOut{l.Color}, nil
}
func (*Lamp) Delete(context.Context, runtime.NoConfig, *LampOut) error { return nil }

func TestDefaultMakesOptional(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"lamp": runtime.MakeResource[Lamp, *LampOut, runtime.NoConfig](),
	}}), "test_lamp")
	d.apply(d.config(nil))
	if got := d.attr("color"); !got.RawEquals(str("white")) {
		t.Errorf("color is %#v", got)
	}
}

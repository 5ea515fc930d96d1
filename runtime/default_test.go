package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Lamp has an input that is optional only because it has a default.
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
		t.Errorf("color is %#v, want white", got)
	}
}

// Safe has a stricter default while a secret or a key is configured.
type Safe struct {
	Secret *string `tf:",writeonly"`
	Key    *string
	Text   *string
	Mode   string
}

type SafeOut struct {
	Key  *string
	Text *string
	Mode string
}

func (s *Safe) Defaults() { s.Mode = "open" }

func (s *Safe) DefaultsWith(attribute string) {
	if attribute == "secret" || attribute == "key" {
		s.Mode = "closed"
	}
}

func (s *Safe) Create(context.Context, runtime.NoConfig) (*SafeOut, error) {
	return &SafeOut{s.Key, s.Text, s.Mode}, nil
}

func (*Safe) Read(_ context.Context, _ runtime.NoConfig, prior *SafeOut) (*SafeOut, error) {
	return prior, nil
}

func (s *Safe) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Safe, *SafeOut]) (*SafeOut, error) {
	return s.Create(ctx, cfg)
}
func (*Safe) Delete(context.Context, runtime.NoConfig, *SafeOut) error { return nil }

func ExampleConditionalDefaulter() {
	c := newConsole(runtime.MakeResource[Safe, *SafeOut, runtime.NoConfig]())
	c.apply(attrs{"text": str("x")})
	display(c.state, "mode")
	c.apply(attrs{"key": str("x")})
	display(c.state, "mode")
	// Output:
	// create
	// mode = open
	// update
	// mode = closed
}

// NearSafe has a conditional default for an attribute without a default.
type NearSafe struct {
	crud[NearSafe, none] `tf:"-"`
	Secret               *string
	Mode                 *string
}

func (s *NearSafe) DefaultsWith(attribute string) {
	if attribute == "secret" {
		s.Mode = new("closed")
	}
}

func TestDefaultsWithoutDefault(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"safe": runtime.MakeResource[NearSafe, *none, runtime.NoConfig]()}})
	if want := "DefaultsWith sets a default for the case that secret is configured, but Defaults sets none"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

// TestDefaultsWith checks that a default depends on whether another attribute is configured, and that a
// configured value takes precedence.
func TestDefaultsWith(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"safe": runtime.MakeResource[Safe, *SafeOut, runtime.NoConfig](),
	}}), "test_safe")
	for _, tt := range []struct {
		set  map[string]cty.Value
		want string
	}{
		{nil, "open"},
		{map[string]cty.Value{"text": str("x")}, "open"},
		{map[string]cty.Value{"secret": str("x")}, "closed"},
		{map[string]cty.Value{"secret": cty.UnknownVal(cty.String)}, "closed"},
		{map[string]cty.Value{"secret": str("x"), "mode": str("ajar")}, "ajar"},
		{map[string]cty.Value{"text": str("y")}, "open"},
	} {
		planned := d.plan(d.config(tt.set)).PlannedState.GetAttr("mode")
		if !planned.RawEquals(str(tt.want)) {
			t.Errorf("with %v, mode is planned as %#v, want %q", tt.set, planned, tt.want)
		}
		if secret, isSet := tt.set["secret"]; isSet && !secret.IsKnown() {
			continue
		}
		d.apply(d.config(tt.set))
		if got := d.attr("mode"); !got.RawEquals(str(tt.want)) {
			t.Errorf("with %v, mode is %#v, want %q", tt.set, got, tt.want)
		}
	}
}

// Fence is closed by default while it has gates.
type Fence struct {
	Gates []Gate `tf:"gate,block"`
	Mode  string
}

type Gate struct{ Name string }

type FenceOut struct {
	Gates []Gate `tf:"gate,block"`
	Mode  string
	Gated bool
}

func (f *Fence) Defaults() { f.Mode = "open" }

func (f *Fence) DefaultsWith(attribute string) {
	if attribute == "gate" {
		f.Mode = "closed"
	}
}

func (f *Fence) Create(ctx context.Context, _ runtime.NoConfig) (*FenceOut, error) {
	return &FenceOut{f.Gates, f.Mode, runtime.Configured(ctx, "gate")}, nil
}

func (*Fence) Read(_ context.Context, _ runtime.NoConfig, prior *FenceOut) (*FenceOut, error) {
	return prior, nil
}

func (f *Fence) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Fence, *FenceOut]) (*FenceOut, error) {
	return f.Create(ctx, cfg)
}
func (*Fence) Delete(context.Context, runtime.NoConfig, *FenceOut) error { return nil }

// TestConfiguredBlocks checks that repeated blocks count as configured only if there is one.
func TestConfiguredBlocks(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"fence": runtime.MakeResource[Fence, *FenceOut, runtime.NoConfig](),
	}}), "test_fence")
	gates := attrs{"gate": cty.ListVal([]cty.Value{cty.ObjectVal(attrs{"name": str("north")})})}
	for _, set := range []attrs{nil, gates, nil} {
		want := "open"
		if set != nil {
			want = "closed"
		}
		d.apply(d.config(set))
		if got := d.attr("mode"); !got.RawEquals(str(want)) {
			t.Errorf("with %v, mode is %#v, want %q", set, got, want)
		}
		if got := d.attr("gated"); got.True() != (set != nil) {
			t.Errorf("with %v, Configured is %t, want %t", set, got.True(), set != nil)
		}
	}
}

// TestGenerateWithConditionalDefault checks that a generated configuration includes the value from Defaults
// if it sets the attribute with which a different default applies.
func TestGenerateWithConditionalDefault(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"safe": runtime.MakeResource[Safe, *SafeOut, runtime.NoConfig](),
	}})
	d := newDriver(t, p, "test_safe")
	for _, tt := range []struct{ state, want attrs }{
		{attrs{"text": str("x"), "mode": str("open")}, attrs{"text": str("x")}},
		{attrs{"key": str("x"), "mode": str("open")}, attrs{"key": str("x"), "mode": str("open")}},
		{attrs{"key": str("x"), "mode": str("closed")}, attrs{"key": str("x"), "mode": str("closed")}},
	} {
		state := d.config(tt.state)
		config := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_safe", State: state}).Config
		if want := d.config(tt.want); !config.RawEquals(want) {
			t.Errorf("for %v: got %#v, want %#v", tt.state, config, want)
		}
		if plan := d.planFrom(state, config, nil, cty.NilVal); !plan.PlannedState.RawEquals(state) {
			t.Errorf("for %v: the configuration plans %#v, want %#v", tt.state, plan.PlannedState, state)
		}
	}
}

// Coffer has a conditional default for an attribute that cannot be configured together with the condition.
type Coffer struct {
	crud[Coffer, none] `tf:"-"`
	Key                *string
	Mode               string
}

func (c *Coffer) Defaults()                { c.Mode = "open" }
func (c *Coffer) DefaultsWith(name string) { c.Mode = map[string]string{"key": "closed"}[name] }

func (*Coffer) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.AtMostOneOf("mode", "key")}
}

// TestGenerateValidConditionalDefault checks that a generated configuration does not include a default
// that the constraints of the resource forbid.
func TestGenerateValidConditionalDefault(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"coffer": runtime.MakeResource[Coffer, *none, runtime.NoConfig](),
	}})
	d := newDriver(t, p, "test_coffer")
	state := d.config(attrs{"key": str("x"), "mode": str("open")})
	config := p.GenerateResourceConfig(t.Context(), provider.GenerateResourceConfigRequest{TypeName: "test_coffer", State: state}).Config
	if want := d.config(attrs{"key": str("x")}); !config.RawEquals(want) {
		t.Errorf("got %#v, want %#v", config, want)
	}
}

// Strongbox has rules about a mode whose default depends on the secret.
type Strongbox struct {
	crud[Strongbox, none] `tf:"-"`
	Secret                *string
	Text                  *string
	Mode                  string
}

func (s *Strongbox) Defaults() { s.Mode = "open" }

func (s *Strongbox) DefaultsWith(attribute string) {
	if attribute == "secret" {
		s.Mode = "closed"
	}
}

func (*Strongbox) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.ForbiddenWhen("text", "mode", "closed"),
		runtime.CheckTogether("", func(mode, secret string) error {
			if mode != "closed" {
				return diag.AttributeErrorf("mode", "%s with the secret %s", mode, secret)
			}
			return nil
		}, "mode", "secret"),
	}
}

// TestConstraintsCheckConditionalDefaults checks that rules use the default that applies to the
// configuration.
func TestConstraintsCheckConditionalDefaults(t *testing.T) {
	t.Parallel()
	d := newDriver(t, newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"box": runtime.MakeResource[Strongbox, *none, runtime.NoConfig](),
	}}), "test_box")
	for _, tt := range []struct {
		set  attrs
		want string
	}{
		{attrs{"text": str("x")}, ""},
		{attrs{"secret": str("x")}, ""},
		{attrs{"secret": str("x"), "text": str("x")}, `text cannot be set when mode is "closed"`},
		{attrs{"secret": str("x"), "mode": str("open")}, "open with the secret x"},
		{attrs{"secret": cty.UnknownVal(cty.String), "text": str("x")}, ""}, // the secret may be null
	} {
		diags := d.validate(d.config(tt.set))
		if diags.HasErrors() != (tt.want != "") || !strings.Contains(diags.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.set, diags, tt.want)
		}
	}
}

// OpenBox has a conditional default that breaks a rule.
type OpenBox struct {
	crud[OpenBox, none] `tf:"-"`
	Secret              *string
	Mode                string
}

func (b *OpenBox) Defaults()                { b.Mode = "open" }
func (b *OpenBox) DefaultsWith(name string) { b.Mode = map[string]string{"secret": "closed"}[name] }

func (*OpenBox) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.OneOf("mode", "open")}
}

func TestConditionalDefaultBreaksRule(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"box": runtime.MakeResource[OpenBox, *none, runtime.NoConfig](),
	}})
	if want := `the default of "mode" violates a rule`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q", err, want)
	}
}

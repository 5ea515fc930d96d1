package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Cautious is a resource whose conversions all return a warning and a result.
type Cautious struct {
	Name string
	Text cautiousText
}

type CautiousOutput struct {
	Name string
	Text cautiousText
}

type CautiousID struct{ Name string }

var errCautious = diag.AsWarning(errors.New("this form is old"))

type cautiousText string

func (c cautiousText) MarshalText() ([]byte, error)     { return []byte(c), nil }
func (c *cautiousText) UnmarshalText(text []byte) error { *c = cautiousText(text); return errCautious }

func (*Cautious) SchemaVersion() int   { return 1 }
func (*Cautious) IdentityVersion() int { return 1 }

func (c *Cautious) Create(context.Context, runtime.NoConfig) (*CautiousOutput, error) {
	return &CautiousOutput{c.Name, c.Text}, nil
}

func (c *Cautious) Read(_ context.Context, _ runtime.NoConfig, prior *CautiousOutput) (*CautiousOutput, error) {
	if prior.Name == "gone" {
		return nil, runtime.ErrNotFound
	}
	return &CautiousOutput{prior.Name, "read"}, nil
}

func (c *Cautious) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Cautious, *CautiousOutput]) (*CautiousOutput, error) {
	return c.Create(ctx, cfg)
}

func (*Cautious) Delete(context.Context, runtime.NoConfig, *CautiousOutput) error { return nil }

func (*Cautious) Identity(_ runtime.NoConfig, out *CautiousOutput) CautiousID {
	return CautiousID{out.Name}
}

func (*Cautious) ParseImportID(id string) (CautiousID, error) { return CautiousID{id}, errCautious }

func (*Cautious) Import(_ context.Context, _ runtime.NoConfig, id CautiousID) (*CautiousOutput, error) {
	return &CautiousOutput{Name: id.Name}, nil
}

type cautiousOld struct{ Label string }

func (*Cautious) Migrations() []runtime.Migration {
	return []runtime.Migration{runtime.Migrate(0, func(_ context.Context, old cautiousOld) (CautiousID, error) {
		return CautiousID{old.Label}, errCautious
	})}
}

func (c *Cautious) IdentityMigrations() []runtime.Migration { return c.Migrations() }

func (*Cautious) Moves() []runtime.Move {
	return []runtime.Move{runtime.MoveFrom("acme/old", "old_text", func(_ context.Context, old cautiousOld) (Cautious, *CautiousOutput, error) {
		return Cautious{Name: old.Label, Text: "moved"}, &CautiousOutput{old.Label, "moved"}, errCautious
	})}
}

// textConfig is a provider block with a text whose UnmarshalText returns a warning.
type textConfig struct{ Text cautiousText }

// TestWarningsOfConversions checks that the result of a migration, a move, an import parser and an
// UnmarshalText is used if its error has only warnings, and that the warnings are reported. Only
// the validation reports those of UnmarshalText.
func TestWarningsOfConversions(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name: "test",
		Config: runtime.MakeConfig(func(_ context.Context, c *textConfig) (runtime.NoConfig, error) {
			if c.Text != "please" {
				t.Errorf("configured with %q, want please", c.Text)
			}
			return runtime.NoConfig{}, nil
		}),
		Resources: map[string]runtime.ResourceRegistration{"cautious": runtime.MakeResource[Cautious, *CautiousOutput, runtime.NoConfig]()},
		DataSources: map[string]runtime.DataSourceRegistration{
			"cautious": runtime.MakeDataSource[cautiousLookup, *cautiousFound, runtime.NoConfig](),
		},
		Functions: map[string]runtime.FunctionRegistration{
			"f": runtime.MakeFunc(func(c cautiousText) string { return string(c) }, spec("a")),
		},
	}))
	d := newDriver(t, p, "test_cautious")
	ctx := t.Context()
	warned := func(method string, diags diag.Diagnostics, result, want cty.Value) {
		t.Helper()
		if len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags.Error(), "this form is old") {
			t.Errorf("%s: want one warning, got %v", method, diags)
		}
		if result == cty.NilVal || !result.RawEquals(want) {
			t.Errorf("%s: got %#v, want %#v", method, result, want)
		}
	}
	object := func(text cty.Value) cty.Value { return cty.ObjectVal(attrs{"name": str("a"), "text": text}) }
	id := cty.ObjectVal(attrs{"name": str("a")})

	up := p.UpgradeResourceState(ctx, provider.UpgradeResourceStateRequest{TypeName: d.typeName, RawStateJSON: []byte(`{"label":"a","text":"b"}`)})
	warned("Migrations", up.Diagnostics, up.UpgradedState, object(str("b")))
	upID := p.UpgradeResourceIdentity(ctx, provider.UpgradeResourceIdentityRequest{TypeName: d.typeName, RawIdentityJSON: []byte(`{"label":"a"}`)})
	warned("IdentityMigrations", upID.Diagnostics, upID.UpgradedIdentity, id)
	moved := p.MoveResourceState(ctx, provider.MoveResourceStateRequest{
		TargetTypeName: d.typeName, SourceTypeName: "old_text", SourceProviderAddress: "registry.terraform.io/acme/old", SourceStateJSON: []byte(`{"label":"a"}`),
	})
	warned("Moves", moved.Diagnostics, moved.TargetState, object(str("moved")))
	imported := p.ImportResourceState(ctx, provider.ImportResourceStateRequest{TypeName: d.typeName, ID: "a"})
	if len(imported.ImportedResources) != 1 {
		t.Fatalf("not imported: %v", imported.Diagnostics)
	}
	warned("ParseImportID", imported.Diagnostics, imported.ImportedResources[0].State, object(str("read")))
	for _, id := range []string{"gone", "\xff"} {
		diags := p.ImportResourceState(ctx, provider.ImportResourceStateRequest{TypeName: d.typeName, ID: id}).Diagnostics
		if len(diags) != 2 || !diags.HasErrors() || diags[0].Severity != diag.Warning || !strings.Contains(diags[0].Detail, "this form is old") {
			t.Errorf("import of %q: want a warning and an error, got %v", id, diags)
		}
	}

	config := object(str("set"))
	if diags := d.validate(config); len(diags) != 1 || diags.HasErrors() || diag.FormatPath(diags[0].Path) != "text" {
		t.Errorf("ValidateResourceConfig: want one warning about text, got %v", diags)
	}
	if diags := d.applyPlan(config, d.plan(config)); len(diags) > 0 || !d.state.RawEquals(config) {
		t.Errorf("create: got diagnostics %v and state %#v, want none and %#v", diags, d.state, config)
	}
	if diags := d.refresh(); len(diags) > 0 || !d.attr("text").RawEquals(str("read")) {
		t.Errorf("read: got diagnostics %v and state %#v, want none and the text read", diags, d.state)
	}
	configured := p.ConfigureProvider(ctx, provider.ConfigureProviderRequest{Config: cty.ObjectVal(attrs{"text": str("please")})})
	if len(configured.Diagnostics) > 0 {
		t.Errorf("ConfigureProvider: got diagnostics %v, want none", configured.Diagnostics)
	}
	data := p.ReadDataSource(ctx, provider.ReadDataSourceRequest{TypeName: d.typeName, Config: cty.ObjectVal(attrs{"text": str("b"), "found": cty.NullVal(cty.Bool)})})
	if len(data.Diagnostics) > 0 || !data.State.RawEquals(cty.ObjectVal(attrs{"text": str("b"), "found": cty.True})) {
		t.Errorf("ReadDataSource: %v, state %#v, want text b, found true and no diagnostics", data.Diagnostics, data.State)
	}
	if resp := callF(t, p, str("b")); resp.Err != nil || !resp.Result.RawEquals(str("b")) {
		t.Errorf("CallFunction: %v, result %#v, want b and no error", resp.Err, resp.Result)
	}
}

type cautiousLookup struct{ Text cautiousText }

type cautiousFound struct {
	Text  cautiousText
	Found bool
}

func (l *cautiousLookup) Read(context.Context, runtime.NoConfig) (*cautiousFound, error) {
	return &cautiousFound{l.Text, true}, nil
}

package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Renamed has attributes that had other names before: in version 0, a and b were swapped;
// in versions 0 and 1, port was listen_port.
type Renamed struct {
	Port int64
	A, B *string
}

type RenamedOutput struct {
	Port int64
	A, B *string
}

func (*Renamed) SchemaVersion() int      { return 2 }
func (*Renamed) ReplaceFields() []string { return nil }

func (r *Renamed) Create(context.Context, runtime.NoConfig) (*RenamedOutput, error) {
	return &RenamedOutput{r.Port, r.A, r.B}, nil
}

func (*Renamed) Read(_ context.Context, _ runtime.NoConfig, prior *RenamedOutput) (*RenamedOutput, error) {
	return prior, nil
}

func (r *Renamed) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Renamed, *RenamedOutput]) (*RenamedOutput, error) {
	return r.Create(ctx, cfg)
}

func (*Renamed) Delete(context.Context, runtime.NoConfig, *RenamedOutput) error { return nil }

func (*Renamed) Migrations() []runtime.Migration {
	return []runtime.Migration{runtime.Rename(0, "a", "b", "b", "a"), runtime.Rename(1, "listen_port", "port")}
}

func ExampleRename() {
	c := newConsole(runtime.MakeResource[Renamed, *RenamedOutput, runtime.NoConfig]())
	c.upgrade(0, `{"listen_port":80,"a":"b","b":"a"}`)
	display(c.state)
	// Output:
	// a = a
	// b = b
	// port = 80
}

// TestRenameOfFlatStates checks that attributes of flat states are decoded with the types
// of the attributes that they were renamed to: in flat states all values are strings.
func TestRenameOfFlatStates(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"it": runtime.MakeResource[Renamed, *RenamedOutput, runtime.NoConfig](),
	}})
	resp := p.UpgradeResourceState(t.Context(), provider.UpgradeResourceStateRequest{
		TypeName: "test_it", RawStateFlatmap: map[string]string{"listen_port": "80", "a": "b"},
	})
	want := cty.ObjectVal(attrs{"port": num(80), "a": cty.NullVal(cty.String), "b": str("b")})
	if resp.Diagnostics.HasErrors() || !resp.UpgradedState.RawEquals(want) {
		t.Errorf("upgraded to %#v (%v)", resp.UpgradedState, resp.Diagnostics)
	}
}

type oddRename struct {
	crud[oddRename, none] `tf:"-"`
	A                     string
}

func (*oddRename) SchemaVersion() int { return 1 }

func (*oddRename) Migrations() []runtime.Migration {
	return []runtime.Migration{runtime.Rename(0, "a")}
}

func TestRenameTakesPairs(t *testing.T) {
	t.Parallel()
	_, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"it": runtime.MakeResource[oddRename, *none, runtime.NoConfig](),
	}})
	if err == nil || !strings.Contains(err.Error(), "pairs") {
		t.Errorf("an odd number of names: got error %v, want one about pairs", err)
	}
}

package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Rooms is a Config with the current names of rooms by their former names.
type Rooms map[string]string

func (r Rooms) current(name string) string {
	if now, ok := r[name]; ok {
		return now
	}
	return name
}

// SameName reports whether both values of the attribute room are names of one room.
func (r Rooms) SameName(attribute, prior, current string) bool {
	return attribute == "room" && r.current(prior) == r.current(current)
}

// Desk is a resource that is in a room.
type Desk struct {
	Room string
	Size int64
}

// DeskOutput is an existing desk.
type DeskOutput struct {
	Room string
	Size int64
}

// DeskID identifies a desk by its room.
type DeskID struct{ Room string }

func (*Desk) ReplaceFields() []string                  { return []string{"room"} }
func (*Desk) Identity(_ Rooms, out *DeskOutput) DeskID { return DeskID{out.Room} }

func (d *Desk) Create(_ context.Context, rooms Rooms) (*DeskOutput, error) {
	return &DeskOutput{rooms.current(d.Room), d.Size}, nil
}

func (d *Desk) Read(_ context.Context, rooms Rooms, prior *DeskOutput) (*DeskOutput, error) {
	return &DeskOutput{rooms.current(d.Room), prior.Size}, nil
}

func (d *Desk) Update(ctx context.Context, rooms Rooms, _ runtime.Prior[Desk, *DeskOutput]) (*DeskOutput, error) {
	return d.Create(ctx, rooms)
}

func (*Desk) Delete(context.Context, Rooms, *DeskOutput) error { return nil }

// newDesk returns a console for a desk, and a function that sets the current names of rooms.
func newDesk() (c *console, rename func(Rooms)) {
	var rooms Rooms
	c = newConsoleOf(runtime.Definition{
		Config: runtime.MakeConfig(func(context.Context, *struct{}) (Rooms, error) { return rooms, nil }),
	}, runtime.MakeResource[Desk, *DeskOutput, Rooms]())
	return c, func(now Rooms) {
		rooms = now
		c.p.ConfigureProvider(context.Background(), provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal})
	}
}

// A new name of the room is not a change of the desk. A different room is a change.
func ExampleAliaser() {
	c, rename := newDesk()
	rename(nil)
	c.apply(attrs{"room": str("attic"), "size": cty.NumberIntVal(2)})
	rename(Rooms{"attic": "loft"})
	c.apply(attrs{"room": str("loft"), "size": cty.NumberIntVal(2)})
	c.apply(attrs{"room": str("cellar"), "size": cty.NumberIntVal(2)})
	// Output:
	// create
	// no changes
	// replace because of room
}

// TestAliaser checks that the state and the identity keep a former name until a read, and that
// the read changes both.
func TestAliaser(t *testing.T) {
	t.Parallel()
	c, rename := newDesk()
	rename(nil)
	id := func(room string) cty.Value { return cty.ObjectVal(attrs{"room": str(room)}) }
	want := func(when, room string, size int64) {
		t.Helper()
		if !c.state.RawEquals(cty.ObjectVal(attrs{"room": str(room), "size": cty.NumberIntVal(size)})) || !c.identity.RawEquals(id(room)) {
			t.Errorf("%s, the state is %#v and the identity %#v, want room %q of size %d", when, c.state, c.identity, room, size)
		}
	}
	c.apply(attrs{"room": str("attic"), "size": cty.NumberIntVal(2)})
	want("after the create", "attic", 2)
	rename(Rooms{"attic": "loft"})
	want("after the new name", "attic", 2)
	c.apply(attrs{"room": str("loft"), "size": cty.NumberIntVal(2)})
	want("after a plan without changes", "attic", 2)
	resp := c.p.ReadResource(t.Context(), provider.ReadResourceRequest{
		TypeName: consoleType, PriorState: c.state, Private: c.private, CurrentIdentity: c.identity,
	})
	if len(resp.Diagnostics) > 0 {
		t.Error(resp.Diagnostics)
	}
	c.state, c.private, c.identity = resp.NewState, resp.Private, resp.Identity
	want("after a read", "loft", 2)
}

// TestAliaserWithoutRead checks that an update without a read before it keeps the former name in
// the state.
func TestAliaserWithoutRead(t *testing.T) {
	t.Parallel()
	c, rename := newDesk()
	rename(Rooms{"attic": "loft"})
	c.apply(attrs{"room": str("attic"), "size": cty.NumberIntVal(2)})
	c.apply(attrs{"room": str("loft"), "size": cty.NumberIntVal(3)})
	if !c.state.RawEquals(cty.ObjectVal(attrs{"room": str("attic"), "size": cty.NumberIntVal(3)})) {
		t.Errorf("after an update, the state is %#v, want room attic of size 3", c.state)
	}
}

// floorPlan is a data source about a room.
type floorPlan struct{ Room string }

func (f *floorPlan) Read(_ context.Context, rooms Rooms) (*floorPlan, error) {
	return &floorPlan{rooms.current(f.Room)}, nil
}

// TestAliaserOfData checks that a data source may return the current name of the configured thing, and
// no other name.
func TestAliaserOfData(t *testing.T) {
	t.Parallel()
	for current, fails := range map[string]bool{"loft": false, "cellar": true} {
		rooms := Rooms{"attic": current}
		if fails {
			rooms = Rooms{"attic": current, current: "elsewhere"} // SameName returns false for attic and its current name
		}
		p := newProvider(t, runtime.Definition{
			Name:        "test",
			Config:      runtime.MakeConfig(func(context.Context, *struct{}) (Rooms, error) { return rooms, nil }),
			DataSources: map[string]runtime.DataSourceRegistration{"plan": runtime.MakeDataSource[floorPlan, *floorPlan, Rooms]()},
		})
		p.ConfigureProvider(t.Context(), provider.ConfigureProviderRequest{Config: cty.EmptyObjectVal})
		config := cty.ObjectVal(attrs{"room": str("attic")})
		resp := p.ReadDataSource(t.Context(), provider.ReadDataSourceRequest{TypeName: "test_plan", Config: config})
		if resp.Diagnostics.HasErrors() != fails || !fails && !resp.State.RawEquals(config) {
			t.Errorf("attic is now %s: read %#v (%v), want an error: %t", current, resp.State, resp.Diagnostics, fails)
		}
	}
}

// TestSameIdentity checks which identities differ only in names of one thing.
func TestSameIdentity(t *testing.T) {
	t.Parallel()
	c, rename := newDesk()
	rename(Rooms{"attic": "loft"})
	same, ok := c.p.(interface {
		SameIdentity(typeName string, prior, current cty.Value) bool
	})
	id := func(room string) cty.Value { return cty.ObjectVal(attrs{"room": str(room)}) }
	if !ok || !same.SameIdentity(consoleType, id("attic"), id("loft")) || same.SameIdentity(consoleType, id("attic"), id("cellar")) ||
		same.SameIdentity("demo_nothing", id("attic"), id("loft")) {
		t.Errorf("SameIdentity (implemented: %t): want true for attic and loft, and false for attic and cellar and for an unknown type", ok)
	}
}

type nearConfig struct{}

func (nearConfig) SameName(string) bool { return false }

type pointedConfig struct{}

func (*pointedConfig) SameName(_, _, _ string) bool { return false }

// TestNearAliaser checks that a method that would never be called is reported.
func TestNearAliaser(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]runtime.ConfigRegistration{
		"method SameName of the Config runtime_test.nearConfig has the wrong signature": runtime.MakeConfig(
			func(context.Context, *struct{}) (nearConfig, error) { return nearConfig{}, nil }),
		"the method SameName has the receiver *runtime_test.pointedConfig": runtime.MakeConfig(
			func(context.Context, *struct{}) (pointedConfig, error) { return pointedConfig{}, nil }),
	} {
		_, err := runtime.New(runtime.Definition{Name: "test", Config: config})
		if !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got error %v, want %q", err, want)
		}
	}
}

package runtime_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// console runs the examples of resources: it prints what a user would see of one
// object.
type console struct {
	p        provider.Interface
	schema   provider.Schema
	state    cty.Value
	private  []byte
	identity cty.Value
}

const consoleType = "demo_it"

func newConsole(reg runtime.ResourceRegistration) *console {
	return newConsoleOf(runtime.Definition{}, reg)
}

func newConsoleOf(d runtime.Definition, reg runtime.ResourceRegistration) *console {
	d.Name, d.Resources = "demo", map[string]runtime.ResourceRegistration{"it": reg}
	p, err := runtime.New(d)
	if err != nil {
		panic(err)
	}
	schema := p.GetProviderSchema(context.Background(), provider.GetProviderSchemaRequest{}).ResourceTypes[consoleType]
	return &console{p: p, schema: schema, state: cty.NullVal(schema.Body.ImpliedType()), identity: cty.NilVal}
}

func (c *console) config(set attrs) cty.Value {
	all := c.schema.Body.EmptyValue().AsValueMap()
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

// printed prints diagnostics and reports whether there were errors.
func printed(diags diag.Diagnostics) bool {
	for _, d := range diags {
		text := d.Detail
		if where := diag.FormatPath(d.Path) + ": "; len(d.Path) > 0 && !strings.HasPrefix(text, where) {
			text = where + text
		}
		fmt.Println(text)
	}
	return diags.HasErrors()
}

// apply plans and applies a configuration, and prints the action and the diagnostics. It only prints a
// replacement, and does not apply it.
func (c *console) apply(set attrs) {
	config := c.config(set)
	validated := c.p.ValidateResourceConfig(context.Background(), provider.ValidateResourceConfigRequest{TypeName: consoleType, Config: config})
	if printed(validated.Diagnostics) {
		return
	}
	plan := c.p.PlanResourceChange(context.Background(), provider.PlanResourceChangeRequest{
		TypeName: consoleType, PriorState: c.state, Config: config, PriorPrivate: c.private, PriorIdentity: c.identity,
		ProposedNewState: objchange.ProposedNew(c.schema.Body, c.state, config),
	})
	if printed(plan.Diagnostics) {
		return
	}
	switch {
	case c.state.IsNull():
		fmt.Println("create")
	case len(plan.RequiresReplace) > 0:
		fmt.Println("replace because of", diag.FormatPath(plan.RequiresReplace[0]))
		return
	case plan.PlannedState.RawEquals(c.state):
		fmt.Println("no changes")
		return
	default:
		fmt.Println("update")
		for name, v := range plan.PlannedState.Elements() { // sorted by name
			if !v.IsKnown() {
				fmt.Printf("  %s = (known after apply)\n", name.AsString())
			}
		}
	}
	done := c.p.ApplyResourceChange(context.Background(), provider.ApplyResourceChangeRequest{
		TypeName: consoleType, PriorState: c.state, PlannedState: plan.PlannedState, Config: config,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	if !printed(done.Diagnostics) {
		c.state, c.private, c.identity = done.NewState, done.Private, done.NewIdentity
	}
}

// imports imports an existing object, and prints its ID or the diagnostics.
func (c *console) imports(id string) {
	resp := c.p.ImportResourceState(context.Background(), provider.ImportResourceStateRequest{TypeName: consoleType, ID: id})
	if printed(resp.Diagnostics) {
		return
	}
	got := resp.ImportedResources[0]
	c.state, c.private, c.identity = got.State, got.Private, got.Identity
	fmt.Println("imported", id)
}

// upgrade upgrades a state that was stored with a schema version, and makes it the state of the object.
func (c *console) upgrade(version int64, stored string) {
	resp := c.p.UpgradeResourceState(context.Background(), provider.UpgradeResourceStateRequest{
		TypeName: consoleType, Version: version, RawStateJSON: []byte(stored),
	})
	if !printed(resp.Diagnostics) {
		c.state = resp.UpgradedState
	}
}

// display prints the named attributes of an object, or all of them if there are no names.
func display(object cty.Value, names ...string) {
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(object.Type().AttributeTypes()))
	}
	for _, name := range names {
		v := object.GetAttr(name)
		text := "null"
		switch {
		case v.IsNull():
		case v.Type() == cty.String:
			text = v.AsString()
		case v.Type() == cty.Number:
			text = v.AsBigFloat().Text('g', -1)
		default:
			text = fmt.Sprint(v.True())
		}
		fmt.Println(name, "=", text)
	}
}

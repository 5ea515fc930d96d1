package planjson

import (
	"fmt"
	"slices"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

const planFormat = "1.2"

// Plan shows a plan of the configuration; version is that of the engine, as it
// says of itself.
func Plan(p *plans.Plan, config *configs.Config, schemas Schemas, version string) (*tfjson.Plan, error) {
	out := &tfjson.Plan{FormatVersion: planFormat, TerraformVersion: version}
	var err error
	if out.ResourceChanges, err = changes(p.Changes, schemas); err != nil {
		return nil, err
	}
	for i, c := range sorted(p.Changes) {
		if id := lostIdentity(p, c); id != nil {
			out.ResourceChanges[i].Change.BeforeIdentity = id
		}
	}
	if out.ResourceDrift, err = changes(drift(p), schemas); err != nil {
		return nil, err
	}
	if out.PlannedValues, err = plannedValues(p, schemas); err != nil {
		return nil, err
	}
	if out.PriorState, err = priorState(p, schemas, version); err != nil {
		return nil, err
	}
	for _, o := range p.Outputs {
		if out.OutputChanges == nil {
			out.OutputChanges = make(map[string]*tfjson.Change, len(p.Outputs))
		}
		out.OutputChanges[o.Name] = outputChange(o)
	}
	out.Variables = variables(p, config)
	out.Checks = checks(p.Checks)
	return out, nil
}

// variables is what the variables of the root have: what was given, or else their
// defaults. Ephemeral ones are in no plan.
func variables(p *plans.Plan, config *configs.Config) map[string]*tfjson.PlanVariable {
	var out map[string]*tfjson.PlanVariable
	for name, declared := range config.Module.Variables {
		v, given := p.Variables[name]
		if !given {
			v = declared.Default
		}
		if v == cty.NilVal || declared.Ephemeral {
			continue
		}
		if out == nil {
			out = make(map[string]*tfjson.PlanVariable, len(config.Module.Variables))
		}
		shown, _ := plain(v)
		out[name] = &tfjson.PlanVariable{Value: shown}
	}
	return out
}

// drift is what refreshing found changed. What was moved and nothing else is among
// the changes already, but in a plan that only refreshes.
func drift(p *plans.Plan) []*plans.ResourceInstanceChange {
	if p.Mode == plans.RefreshOnlyMode {
		return p.Drift
	}
	return slices.DeleteFunc(slices.Clone(p.Drift), func(c *plans.ResourceInstanceChange) bool { return c.Action == plans.NoOp })
}

// sorted is the changes that are shown, in the order of their addresses.
// Ephemeral resources are in no plan.
func sorted(all []*plans.ResourceInstanceChange) []*plans.ResourceInstanceChange {
	var out []*plans.ResourceInstanceChange
	for _, c := range all {
		if c.Addr.Resource.Resource.Mode != addrs.EphemeralResourceMode {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b *plans.ResourceInstanceChange) int { return compareAddrs(a.Addr, b.Addr) })
	return out
}

func changes(all []*plans.ResourceInstanceChange, schemas Schemas) ([]*tfjson.ResourceChange, error) {
	var out []*tfjson.ResourceChange
	for _, c := range sorted(all) {
		if _, ok := schemas.of(c.Provider.Provider, c.Addr.Resource.Resource); !ok {
			return nil, fmt.Errorf("%s is planned, and provider %s has no such type", c.Addr, c.Provider.Provider)
		}
		r := c.Addr.Resource.Resource
		shown := &tfjson.ResourceChange{
			Address: c.Addr.String(), ModuleAddress: c.Addr.Module.String(), Mode: mode(r.Mode), Type: r.Type, Name: r.Name,
			Index: index(c.Addr.Resource.Key), ProviderName: c.Provider.Provider.String(), DeposedKey: string(c.DeposedKey),
			Change: resourceChange(c, schemas),
		}
		if c.Moved() {
			shown.PreviousAddress = c.PrevRunAddr.String()
		}
		out = append(out, shown)
	}
	return out, nil
}

func resourceChange(c *plans.ResourceInstanceChange, schemas Schemas) *tfjson.Change {
	before, after := schemas.Marked(c)
	out := change(c.Action, before, after, map[string]any{})
	for _, p := range c.RequiredReplace {
		out.ReplacePaths = append(out.ReplacePaths, path(p))
	}
	if c.Importing != nil {
		out.Importing = &tfjson.Importing{ID: c.Importing.ID}
		if id := c.Importing.Identity; id != cty.NilVal {
			out.Importing.Unknown = !id.IsWhollyKnown()
			out.Importing.Identity, _ = plain(id)
		}
	}
	out.GeneratedConfig = c.GeneratedConfig
	if id := known(c.BeforeIdentity); id != nil {
		out.BeforeIdentity = id
	}
	if id := known(c.AfterIdentity); id != nil && out.After != nil {
		out.AfterIdentity = id
	}
	return out
}

// change shows both sides; allKnown is after_unknown where nothing is unknown.
func change(action plans.Action, before, after cty.Value, allKnown any) *tfjson.Change {
	out := &tfjson.Change{Actions: actions(action), BeforeSensitive: false, AfterSensitive: false, AfterUnknown: allKnown}
	if before != cty.NilVal {
		out.Before, _ = plain(before)
		out.BeforeSensitive = flags(before, isSensitive)
	}
	if after == cty.NilVal {
		return out
	}
	if action == plans.NoOp {
		out.After, out.AfterSensitive = out.Before, out.BeforeSensitive
		return out
	}
	out.After, _ = plain(after)
	out.AfterSensitive = flags(after, isSensitive)
	if !after.IsWhollyKnown() {
		out.AfterUnknown = flags(after, isUnknown)
	}
	return out
}

func outputChange(o *plans.OutputChange) *tfjson.Change {
	out := change(o.Action, o.Before, o.After, false)
	// Of an output, it is the output that is sensitive, before as well as after.
	out.BeforeSensitive, out.AfterSensitive = o.Sensitive, o.Sensitive
	return out
}

func actions(a plans.Action) tfjson.Actions {
	switch a {
	case plans.Create:
		return tfjson.Actions{tfjson.ActionCreate}
	case plans.Read:
		return tfjson.Actions{tfjson.ActionRead}
	case plans.Update:
		return tfjson.Actions{tfjson.ActionUpdate}
	case plans.Delete:
		return tfjson.Actions{tfjson.ActionDelete}
	case plans.DeleteThenCreate:
		return tfjson.Actions{tfjson.ActionDelete, tfjson.ActionCreate}
	case plans.CreateThenDelete:
		return tfjson.Actions{tfjson.ActionCreate, tfjson.ActionDelete}
	case plans.Forget:
		return tfjson.Actions{tfjson.ActionForget}
	default:
		return tfjson.Actions{tfjson.ActionNoop}
	}
}

// plannedValues is what will be there after the apply, in as far as it is known.
func plannedValues(p *plans.Plan, schemas Schemas) (*tfjson.StateValues, error) {
	tree := newTree()
	for _, c := range sorted(p.Changes) {
		if c.DeposedKey != "" || c.Action == plans.Delete || c.Action == plans.Forget || c.After == cty.NilVal || c.After.IsNull() {
			continue
		}
		schema, _ := schemas.of(c.Provider.Provider, c.Addr.Resource.Resource)
		shown := bare(c.Addr, schema)
		shown.ProviderName = c.Provider.Provider.String()
		shown.AttributeValues = object(c.After)
		var err error
		if shown.SensitiveValues, err = sensitiveValues(withMarks(schema, c.After)); err != nil {
			return nil, fmt.Errorf("%s is planned: %w", c.Addr, err)
		}
		if id := known(c.AfterIdentity); id != nil && schema.Identity != nil {
			version := uint64(schema.IdentityVersion) //nolint:gosec // a schema with a negative version is refused
			shown.IdentityValues, shown.IdentitySchemaVersion = id, &version
		}
		into := tree.module(c.Addr.Module)
		into.Resources = append(into.Resources, shown)
	}
	out := &tfjson.StateValues{RootModule: tree.root()}
	for _, o := range p.Outputs {
		if o.After == cty.NilVal || o.Action == plans.Delete {
			continue
		}
		if out.Outputs == nil {
			out.Outputs = make(map[string]*tfjson.StateOutput, len(p.Outputs))
		}
		shown := stateOutput(o.After, o.Sensitive)
		if !o.After.IsWhollyKnown() {
			shown.Value, shown.Type = nil, cty.NilType
		}
		out.Outputs[o.Name] = shown
	}
	return out, nil
}

package planjson

import (
	"fmt"
	"slices"
	"strings"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

const planFormat = "1.2"

// Plan converts a plan of the configuration; version is the reported version of the
// engine. A resource type or a schema version that the schemas do not have is an error.
func Plan(p *plans.Plan, config *configs.Config, schemas Schemas, version string) (*tfjson.Plan, error) {
	out := &tfjson.Plan{FormatVersion: planFormat, TerraformVersion: version}
	var err error
	if out.ResourceChanges, err = changes(p.Changes, schemas); err != nil {
		return nil, err
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
	out.ActionInvocations = invocations(p.Actions)
	out.Variables = variables(p, config)
	out.Checks = checks(p.Checks)
	return out, nil
}

// variables returns the values of the root module's variables or their defaults,
// without ephemeral ones.
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

// drift returns the changes that refreshing found. Objects that only moved are among
// the changes already, except in a refresh-only plan.
func drift(p *plans.Plan) []*plans.ResourceInstanceChange {
	if p.Mode == plans.RefreshOnlyMode {
		return p.Drift
	}
	return slices.DeleteFunc(slices.Clone(p.Drift), func(c *plans.ResourceInstanceChange) bool { return c.Action == plans.NoOp })
}

// sorted returns the changes sorted by address, without ephemeral resources.
func sorted(all []*plans.ResourceInstanceChange) []*plans.ResourceInstanceChange {
	out := slices.DeleteFunc(slices.Clone(all), func(c *plans.ResourceInstanceChange) bool {
		return c.Addr.Resource.Resource.Mode == addrs.EphemeralResourceMode
	})
	slices.SortStableFunc(out, func(a, b *plans.ResourceInstanceChange) int { return compareAddrs(a.Addr, b.Addr) })
	return out
}

func changes(all []*plans.ResourceInstanceChange, schemas Schemas) ([]*tfjson.ResourceChange, error) {
	var out []*tfjson.ResourceChange
	for _, c := range sorted(all) {
		if _, ok := schemas.of(c.Provider.Provider, c.Addr.Resource.Resource); !ok {
			return nil, fmt.Errorf("%s is planned, but provider %s does not have its type", c.Addr, c.Provider.Provider)
		}
		r := c.Addr.Resource.Resource
		shown := &tfjson.ResourceChange{
			Address: c.Addr.String(), ModuleAddress: c.Addr.Module.String(), Mode: mode(r.Mode), Type: r.Type, Name: r.Name,
			Index: index(c.Addr.Resource.Key), ProviderName: c.Provider.Provider.String(), DeposedKey: string(c.DeposedKey),
			Change: resourceChange(c, schemas), ActionReason: tfjson.ActionReason(c.Reason),
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
	if id := known(c.AfterIdentity); id != nil {
		out.AfterIdentity = id
	}
	return out
}

// change converts both sides of a change; allKnown is after_unknown if nothing is
// unknown.
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
	// For outputs, sensitivity is that of the output, before and after.
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

// plannedValues returns the planned objects and outputs with their known values.
func plannedValues(p *plans.Plan, schemas Schemas) (*tfjson.StateValues, error) {
	tree := newTree()
	for _, c := range sorted(p.Changes) {
		if c.DeposedKey != "" || c.Action != plans.Forget && (c.Action == plans.Delete || c.After == cty.NilVal || c.After.IsNull()) {
			continue
		}
		schema, _ := schemas.of(c.Provider.Provider, c.Addr.Resource.Resource)
		shown := newStateResource(c.Addr, schema)
		shown.ProviderName = c.Provider.Provider.String()
		shown.AttributeValues = object(c.After)
		after := c.After
		// The plan of a replacement has only the marks of the configuration, but a tainted
		// object is planned like a new one.
		if !c.Action.IsReplace() || c.Reason == plans.ReplaceBecauseTainted {
			after = withMarks(schema, after)
		}
		var err error
		if shown.SensitiveValues, err = sensitiveValues(after); err != nil {
			return nil, fmt.Errorf("cannot convert the planned values of %s: %w", c.Addr, err)
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
		switch {
		case !o.After.IsWhollyKnown():
			shown.Value, shown.Type = nil, cty.NilType
		case o.After.IsNull() && o.Action == plans.NoOp: // in this case a plan stores the former value, which has no type
			shown.Type = cty.DynamicPseudoType
		}
		out.Outputs[o.Name] = shown
	}
	return out, nil
}

// priorState returns the refreshed state as a plan shows it: with the known planned outputs
// (except in a destroy plan), without data that will be read again, and with float64 numbers,
// as terraform-json decodes them there. It returns nil if there is nothing to show.
func priorState(p *plans.Plan, schemas Schemas, version string) (*tfjson.State, error) {
	if p.PriorState == nil {
		return nil, nil //nolint:nilnil // a plan without prior state shows none
	}
	prior := p.PriorState
	for _, c := range p.Changes {
		if c.Action == plans.Read && prior.ResourceInstance(c.Addr).HasObjects() {
			if prior == p.PriorState {
				prior = prior.DeepCopy()
			}
			prior.SyncWrapper().ForgetResourceInstanceAll(c.Addr)
		}
	}
	out, err := State(prior, schemas, version)
	if err != nil {
		return nil, err
	}
	if out.Values == nil {
		out.TerraformVersion, out.Values = version, &tfjson.StateValues{RootModule: &tfjson.StateModule{}}
	}
	if p.Mode != plans.DestroyMode {
		plannedOutputs(out.Values, p.Outputs)
	}
	if len(out.Values.Outputs) == 0 && !prior.HasResources() {
		return nil, nil //nolint:nilnil // as above
	}
	for _, o := range out.Values.Outputs {
		o.Value = float(o.Value)
	}
	floats(out.Values.RootModule)
	return out, nil
}

// plannedOutputs sets the outputs to their planned values if these are known, and removes outputs
// that are planned to be null.
func plannedOutputs(values *tfjson.StateValues, planned []*plans.OutputChange) {
	for _, o := range planned {
		if o.Action == plans.Delete || o.After == cty.NilVal || !o.After.IsWhollyKnown() {
			continue
		}
		if o.After.IsNull() {
			delete(values.Outputs, o.Name)
			continue
		}
		if values.Outputs == nil {
			values.Outputs = make(map[string]*tfjson.StateOutput, len(planned))
		}
		values.Outputs[o.Name] = stateOutput(o.After, o.Sensitive)
	}
}

// checks converts the results of conditions, with instances below their objects.
func checks(all []plans.CheckResult) []tfjson.CheckResultStatic {
	var out []tfjson.CheckResultStatic
	for _, c := range all {
		if len(out) == 0 || out[len(out)-1].Address.ToDisplay != c.Object {
			out = append(out, tfjson.CheckResultStatic{Address: checkAddress(c), Status: tfjson.CheckStatusPass})
		}
		object := &out[len(out)-1]
		instance := tfjson.CheckResultDynamic{Address: instanceAddress(c), Status: tfjson.CheckStatus(c.Status)}
		for _, problem := range c.Problems {
			instance.Problems = append(instance.Problems, tfjson.CheckResultProblem{Message: problem})
		}
		object.Instances = append(object.Instances, instance)
		object.Status = worst(object.Status, instance.Status)
	}
	return out
}

func worst(a, b tfjson.CheckStatus) tfjson.CheckStatus {
	order := []tfjson.CheckStatus{tfjson.CheckStatusPass, tfjson.CheckStatusUnknown, tfjson.CheckStatusFail, tfjson.CheckStatusError}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// checkAddress returns the address of the object of the conditions.
func checkAddress(c plans.CheckResult) tfjson.CheckStaticAddress {
	out := tfjson.CheckStaticAddress{ToDisplay: c.Object, Kind: tfjson.CheckKind(c.Kind)}
	if r, err := addrs.ParseConfigResourceStr(c.Object); c.Kind == "resource" && err == nil {
		out.Module, out.Mode, out.Type, out.Name = r.Module.String(), mode(r.Resource.Mode), r.Resource.Type, r.Resource.Name
		return out
	}
	out.Module, out.Name = splitName(c.Object)
	return out
}

// splitName returns the module, or "", and the name in the address of a check, an output or a
// variable, such as "module.m.output.name".
func splitName(address string) (module, name string) {
	nameAt := strings.LastIndexByte(address, '.')
	kindAt := strings.LastIndexByte(address[:nameAt], '.')
	return address[:max(kindAt, 0)], address[nameAt+1:]
}

// instanceAddress returns the address of the instance of the conditions.
func instanceAddress(c plans.CheckResult) tfjson.CheckDynamicAddress {
	out := tfjson.CheckDynamicAddress{ToDisplay: c.Instance}
	if c.Kind != "resource" {
		out.Module, _ = splitName(c.Instance)
		return out
	}
	if r, err := addrs.ParseAbsResourceInstanceStr(c.Instance); err == nil {
		out.Module, out.InstanceKey = r.Module.String(), index(r.Resource.Key)
	}
	return out
}

// events converts the name of an event, such as after_create, to its JSON form.
var events = strings.NewReplacer("before_", "Before", "after_", "After", "create", "Create", "update", "Update")

// invocations converts the actions that the changes of a plan trigger.
func invocations(all []*plans.ActionInvocation) []*tfjson.ActionInvocation {
	var out []*tfjson.ActionInvocation
	for _, i := range all {
		out = append(out, &tfjson.ActionInvocation{
			Address: i.Action.String(), Type: i.Action.Resource.Resource.Type, Name: i.Action.Resource.Resource.Name,
			ConfigValues: object(i.Config), ConfigSensitive: flags(i.Config, isSensitive), ConfigUnknown: flags(i.Config, isUnknown),
			ProviderName: i.Provider.Provider.String(),
			LifecycleActionTrigger: &tfjson.LifecycleActionTrigger{
				TriggeringResourceAddress: i.Trigger.String(), ActionTriggerEvent: events.Replace(i.Event),
				ActionTriggerBlockIndex: i.TriggerIndex, ActionsListIndex: i.ActionIndex,
			},
		})
	}
	return out
}

// Query returns the objects that a query found and the summary of each result, as
// the messages of query -json have them.
func Query(results []engine.QueryResult) ([]tfjson.ListResourceFoundData, []tfjson.ListCompleteData) {
	var found []tfjson.ListResourceFoundData
	complete := make([]tfjson.ListCompleteData, 0, len(results))
	for _, r := range results {
		address, typeName := r.Addr.String(), r.Addr.Resource.Resource.Type
		for _, o := range r.Objects {
			found = append(found, tfjson.ListResourceFoundData{
				Address: address, ResourceType: typeName, DisplayName: o.DisplayName,
				Identity: object(o.Identity), IdentityVersion: r.IdentityVersion, ResourceObject: object(o.Object),
			})
		}
		complete = append(complete, tfjson.ListCompleteData{Address: address, ResourceType: typeName, Total: len(r.Objects)})
	}
	return found, complete
}

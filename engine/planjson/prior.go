package planjson

import (
	"encoding/json"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/states"
)

// priorState is the refreshed state as a plan shows it: with the outputs that are
// known already, without data that will be read again, and with numbers as
// terraform-json decodes them there.
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
		knownOutputs(out.Values, p.Outputs)
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

// knownOutputs brings the outputs to what they will be, where that is known.
func knownOutputs(values *tfjson.StateValues, planned []*plans.OutputChange) {
	for _, o := range planned {
		switch {
		case o.Action == plans.Delete || o.After == cty.NilVal:
		case !o.After.IsWhollyKnown():
			delete(values.Outputs, o.Name)
		default:
			if values.Outputs == nil {
				values.Outputs = make(map[string]*tfjson.StateOutput, len(planned))
			}
			values.Outputs[o.Name] = stateOutput(o.After, o.Sensitive)
		}
	}
}

// lostIdentity is the identity of an object that was found to be gone and is made
// again, nil if there is none.
func lostIdentity(p *plans.Plan, c *plans.ResourceInstanceChange) map[string]any {
	if c.Action != plans.Create || p.PrevRunState == nil {
		return nil
	}
	addr := c.Addr
	if c.Moved() {
		addr = c.PrevRunAddr
	}
	instance := p.PrevRunState.ResourceInstance(addr)
	if !instance.HasCurrent() || instance.Current.Status == states.ObjectPlanned || instance.Current.IdentityJSON == nil {
		return nil
	}
	var out map[string]any
	if err := decode(json.RawMessage(instance.Current.IdentityJSON), &out); err != nil {
		return nil
	}
	return out
}

package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

// salvage is what is stored in place of a new state that has another type than
// the schema's. It is the prior state where there is one. Where there is none
// the object has just been made, and null would make everybody forget it: it is
// then put together from the attributes of the answer that fit, and from the
// plan. Since the answer has errors, a client marks the object as tainted.
func (t *resourceType) salvage(req *provider.ApplyResourceChangeRequest, answer cty.Value) (kept cty.Value) {
	if !req.PriorState.IsNull() || req.PlannedState.IsNull() {
		return req.PriorState
	}
	defer func() {
		if recover() != nil { // the answer is too broken to be looked at
			kept = cty.UnknownAsNull(req.PlannedState)
		}
	}()
	answer, _ = answer.UnmarkDeep()
	types := t.state.ty.AttributeTypes()
	attrs := make(map[string]cty.Value, len(types))
	for _, f := range t.state.root.fields {
		attrs[f.name] = req.PlannedState.GetAttr(f.name)
		v := valueAt(answer, cty.GetAttrPath(f.name))
		if v != cty.NilVal && typeConforms(v.Type(), types[f.name]) && f.flawsOf(v, false) == 0 {
			attrs[f.name] = v
		}
	}
	return withoutSecrets(t.schema, cty.UnknownAsNull(cty.ObjectVal(attrs)))
}

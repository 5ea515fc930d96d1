package conformance

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
)

// showsAll says whether a refresh found what the configuration and the object of
// somebody else say. Of what is configured there may be several spellings, so
// that is for a plan to say, which may have an update for other reasons. What only
// they configured may be their concern alone.
func (r *run) showsAll(ctx context.Context, theirs object, config cty.Value) error {
	const what = "somebody else applied another configuration, and a refresh does not show it. " +
		"If the provider cannot read an attribute back, name it in StateOnly"
	p, err := r.plan(ctx, r.object, config)
	if err != nil {
		return err
	}
	if p.refused() {
		return r.breaks(lawDrift, rpcPlan, "somebody else applied a configuration, which can be planned no more: %s", said(p.messages))
	}
	var unseen []difference
	for _, d := range r.s.differences(p.state, r.state) {
		if isSet(config, d.path) && isSet(r.config, d.path) && !named(d.path, r.s.StateOnly) {
			unseen = append(unseen, d)
		}
	}
	if len(unseen) > 0 {
		return r.differs(lawDrift, rpcRead, unseen, "%s", what)
	}
	return r.sameComputed(ctx, lawDrift, rpcRead, config, theirs, r.object, what)
}

func isSet(config cty.Value, path cty.Path) bool {
	v := valueAt(config, path)
	return v != cty.NilVal && !v.IsNull()
}

// sameComputed says whether two objects are the same in what no configuration
// sets. Of the rest, there may be several spellings: whether they mean the same is
// for a plan to say.
func (r *run) sameComputed(ctx context.Context, law, rpc string, config cty.Value, want, got object, what string) error {
	left := slices.Concat(r.s.StateOnly, r.s.Volatile)
	for name := range config.Type().AttributeTypes() {
		v := config.GetAttr(name)
		if attr := r.s.body.Attributes[name]; attr == nil && v.LengthInt() > 0 || attr != nil && (!v.IsNull() || !attr.Computed) {
			left = append(left, name)
		}
	}
	wanted, came := r.s.looked(want.state, left), r.s.looked(got.state, left)
	var other []difference
	for _, d := range r.s.differences(wanted, came) {
		if same, err := r.meansTheSame(ctx, d.path, config, want, got); err != nil {
			return err
		} else if !same {
			other = append(other, d)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return r.differs(law, rpc, other, "%s", what)
}

// meansTheSame asks the provider whether two values of an attribute that can be
// configured are spellings of the same: a plan then keeps the one that is there.
func (r *run) meansTheSame(ctx context.Context, path cty.Path, config cty.Value, want, got object) (bool, error) {
	if len(path) == 0 {
		return false, nil
	}
	path = path[:1]
	attr := r.s.body.AttributeByPath(path)
	was := valueAt(want.state, path)
	if attr == nil || !attr.Optional || was == cty.NilVal || was.IsNull() {
		return false, nil
	}
	set, ok := replaced(config, path, was)
	if !ok {
		return false, nil
	}
	p, err := r.plan(ctx, got, set)
	if err != nil || p.refused() {
		return false, err
	}
	return objchange.Equal(valueAt(p.state, path), valueAt(got.state, path)), nil
}

package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/identity"
)

// identityRules are the ids of the rules that hold for an identity in any
// answer, as they are named for one kind of answer.
type identityRules struct{ unknown, misfit, unexpected ID }

// identity judges an identity by itself and reports whether it may be used. No
// identity at all breaks none of these rules.
func (r *report) identity(t *resourceType, v cty.Value, rules identityRules) bool {
	if v.IsNull() {
		return true
	}
	if t.identity == nil {
		r.add(rules.unexpected, nil, "%s of %s came with an identity, but the type has no identity schema.", r.rpc, t.name)
		return false
	}
	if t.identity.storable(v) {
		return true
	}
	if open := unknowns(v); len(open) > 0 {
		for _, p := range open {
			r.add(rules.unknown, p.path, "%s of %s answered %s in the identity.", r.rpc, t.name, describe(p.value, false))
		}
		return false
	}
	for _, p := range append(misfits(v.Type(), t.identity.value.ty, nil), marks(v)...) {
		r.add(rules.misfit, p.path, "The part of the identity that %s of %s answered %s.", r.rpc, t.name, p.text)
	}
	return false
}

// storable reports whether an identity can be stored as it is.
func (t *identityType) storable(v cty.Value) bool {
	return t.value.conforms(v) && t.value.flawsOf(v) == 0
}

// absent is [identity.Missing] for an identity that conforms, without the walk
// where the first attributes tell.
func (t *identityType) absent(v cty.Value) bool {
	if v.IsNull() {
		return true
	}
	for _, name := range t.names {
		if part := v.GetAttr(name); !part.IsNull() && !part.Type().IsListType() {
			return false
		}
	}
	return identity.Missing(v)
}

// incomplete gives the first attribute that is required for import and null, or
// "".
func (t *identityType) incomplete(v cty.Value) string {
	for _, name := range t.required {
		if v.GetAttr(name).IsNull() {
			return name
		}
	}
	return ""
}

// changed gives the first attribute in which an identity differs from the one
// that was stored. A part that was null and now is not was completed, not
// changed: such are the identities that an import was given. Both must conform.
func (t *identityType) changed(stored, now cty.Value) (name string, changed bool) {
	for _, name := range t.names {
		was := stored.GetAttr(name)
		if was.IsNull() {
			continue
		}
		is := now.GetAttr(name)
		if !same(was, is) {
			return name, true
		}
	}
	return "", false
}

// same is RawEquals with a short way for strings, which nearly all parts of
// identities are.
func same(a, b cty.Value) bool {
	if a.Type() == cty.String && b.Type() == cty.String && plain(a) && plain(b) {
		return a.AsString() == b.AsString()
	}
	return a.RawEquals(b)
}

func plain(v cty.Value) bool { return !v.IsMarked() && v.IsKnown() && !v.IsNull() }

// sameIdentity reports a change of identity as a break of the rule. Now is an
// identity that may be used.
func (r *report) sameIdentity(t *resourceType, stored, now cty.Value, rule ID) {
	if t.mutable || stored.IsNull() || !t.identity.value.conforms(stored) {
		return
	}
	if name, changed := t.identity.changed(stored, now); changed && !t.identity.absent(stored) && !t.identity.absent(now) {
		path := cty.GetAttrPath(name)
		// What is sensitive in the object is so in its identity.
		r.add(rule, path, "The identity had %s and %s of %s answered %s.",
			r.describe(path, stored.GetAttr(name)), r.rpc, t.name, r.describe(path, now.GetAttr(name)))
	}
}

// completeIdentity reports that an identity lacks what is required for import.
func (r *report) completeIdentity(t *resourceType, v cty.Value, rule ID) {
	if name := t.identity.incomplete(v); name != "" {
		r.add(rule, cty.GetAttrPath(name), "%s of %s answered null for it.", r.rpc, t.name)
	}
}

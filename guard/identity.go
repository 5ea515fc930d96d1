package guard

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/identity"
)

// identityProblem returns the problem of the identity by itself. A null identity has no
// problem.
func (x *exchange) identityProblem() problem {
	if x.identityFound == notInspected {
		x.identityFound = x.inspectIdentity()
	}
	return x.identityFound
}

func (x *exchange) inspectIdentity() problem {
	switch {
	case x.identity.IsNull():
		return none
	case x.t.identity == nil:
		return noSchema
	case x.t.identity.storable(x.identity):
		return none
	case len(unknowns(x.identity)) > 0:
		return unknownPart
	default:
		return wrongType
	}
}

func (x *exchange) identityUnexpected() {
	if x.identityProblem() == noSchema {
		x.add(nil, "%s of %s returned an identity, but the type has no identity schema.", x.rpc, x.typeName)
	}
}

func (x *exchange) identityUnknown() {
	if x.identityProblem() == unknownPart {
		for _, p := range unknowns(x.identity) {
			x.add(p.path, "%s of %s returned %s in the identity.", x.rpc, x.typeName, describe(p.value, false))
		}
	}
}

func (x *exchange) identityMismatch() {
	if x.identityProblem() == wrongType {
		for _, p := range append(mismatches(x.identity.Type(), x.t.identity.value.ty, nil), marks(x.identity)...) {
			x.add(p.path, "The part of the identity that %s of %s returned %s.", x.rpc, x.typeName, p.text)
		}
	}
}

func (x *exchange) identityMissing() {
	if x.t.identity != nil && x.identityProblem() == none && x.t.identity.absent(x.identity) {
		x.add(nil, "%s of %s returned an object without its identity.", x.rpc, x.typeName)
	}
}

// hasIdentity reports whether there is an identity that can be stored.
func (x *exchange) hasIdentity() bool {
	return x.t.identity != nil && x.identityProblem() == none && !x.t.identity.absent(x.identity)
}

func (x *exchange) identityIncomplete() {
	if !x.hasIdentity() {
		return
	}
	for _, name := range x.t.identity.required {
		if x.identity.GetAttr(name).IsNull() {
			x.add(cty.GetAttrPath(name), "%s of %s returned null for this attribute.", x.rpc, x.typeName)
			return
		}
	}
}

func (x *exchange) identityChanged() {
	if x.t.mutable || !x.hasIdentity() || x.priorIdentity.IsNull() || !x.t.identity.value.conforms(x.priorIdentity) {
		return
	}
	name, changed := x.t.identity.changed(x.priorIdentity, x.identity)
	if !changed || x.t.identity.absent(x.priorIdentity) || x.t.aliases != nil && x.t.aliases.SameIdentity(x.t.name, x.priorIdentity, x.identity) {
		return
	}
	// An attribute that is sensitive in the object is sensitive in its identity.
	path := cty.GetAttrPath(name)
	x.add(path, "The identity had %s, and %s of %s returned %s.",
		x.describe(path, x.priorIdentity.GetAttr(name)), x.rpc, x.typeName, x.describe(path, x.identity.GetAttr(name)))
}

// storable reports whether an identity can be stored unchanged.
func (t *identityType) storable(v cty.Value) bool {
	return t.value.conforms(v) && t.value.flawsOf(v) == 0
}

// absent reports whether an identity that conforms is missing, like [identity.Missing]. It
// does not walk the value if an attribute that is not a list is set.
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

// changed returns the first attribute in which an identity differs from the
// stored one. An attribute that was null and is set now is not a change,
// because an import may return an incomplete identity. Both values must conform.
func (t *identityType) changed(stored, now cty.Value) (name string, changed bool) {
	for _, name := range t.names {
		if was := stored.GetAttr(name); !was.IsNull() && !same(was, now.GetAttr(name)) {
			return name, true
		}
	}
	return "", false
}

// same is RawEquals with a fast path for strings.
func same(a, b cty.Value) bool {
	if a.Type() == cty.String && b.Type() == cty.String && plain(a) && plain(b) {
		return a.AsString() == b.AsString()
	}
	return a.RawEquals(b)
}

func plain(v cty.Value) bool { return !v.IsMarked() && v.IsKnown() && !v.IsNull() }

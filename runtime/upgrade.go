package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// UpgradeResourceState implements [provider.Interface]. Clients call it for every object
// in the state, nearly always at the current version.
func (s *server) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) provider.UpgradeResourceStateResponse {
	m := s.resources[req.TypeName]
	if m == nil {
		return provider.UpgradeResourceStateResponse{Diagnostics: unknownType(req.TypeName)}
	}
	c := &call{typeName: req.TypeName, pathless: true}
	var state cty.Value
	err := c.guardPanic(ctx, "Migrations", func() (err error) {
		state, err = m.upgrade(c.context(ctx), req)
		return err
	})
	return provider.UpgradeResourceStateResponse{
		UpgradedState: state,
		Diagnostics:   c.diagnostics("Cannot read the stored state of "+req.TypeName, err),
	}
}

func (m *managed) upgrade(ctx context.Context, req provider.UpgradeResourceStateRequest) (cty.Value, error) {
	raw := req.RawStateJSON
	if req.Version > m.version {
		return cty.NilVal, newerVersion(req.Version, m.version)
	}
	if len(raw) == 0 {
		if req.RawStateFlatmap == nil {
			return cty.NilVal, errors.New("the request has no stored state; this is a bug in the client")
		}
		var err error
		if raw, err = flatmapObject(req.RawStateFlatmap, m.flatTypes(req.Version)); err != nil {
			return cty.NilVal, err
		}
	}
	state, err := m.migrations.decode(ctx, m.codec.get(), raw, req.Version, m.version)
	return m.withoutTransient(m.withoutWriteOnly(m.withBlocks(state))), err
}

func newerVersion(stored, current int64) error {
	return fmt.Errorf("the value was stored by a newer version of the provider (schema version %d, but this version supports up to %d); use the newer version of the provider", stored, current)
}

// flatTypes returns the types for decoding a flat state: those of the migrations from
// its version on, else those of the schema.
func (m *managed) flatTypes(version int64) map[string]cty.Type {
	types := m.ctyType.AttributeTypes()
	if version == m.version {
		return types
	}
	merged := make(map[string]cty.Type, len(types))
	maps.Copy(merged, types)
	for v := m.version - 1; v >= version; v-- {
		step, ok := m.migrations[v]
		if !ok { // decode returns an error for this version
			break
		}
		for _, f := range step.old {
			merged[f.name] = f.node.ctyType
		}
		later := maps.Clone(merged)
		for was, is := range step.renamed {
			if ty, ok := later[is]; ok {
				merged[was] = ty
			}
		}
	}
	return merged
}

// withBlocks returns the state with an empty value for each repeated block that is null: a state
// does not have blocks that were added to the schema later. In a configuration without them they
// are empty, so null would be a change.
func (m *managed) withBlocks(state cty.Value) cty.Value {
	if !slices.ContainsFunc(m.ins, (*attribute).block) {
		return state
	}
	fields := make([]*field, len(m.ins))
	for i, a := range m.ins {
		fields[i] = a.in
	}
	state, _ = withBlocks(fields, state)
	return state
}

// withBlocks returns object, which has these fields, with an empty value for each repeated block
// that is null, at any depth. It reports whether the result differs from object.
func withBlocks(fields []*field, object cty.Value) (_ cty.Value, changed bool) {
	if !usable(object) {
		return object, false
	}
	var attrs map[string]cty.Value // nil until an attribute of the object has changed
	for _, f := range fields {
		if !f.block {
			continue
		}
		v, other := f.withBlocks(object.GetAttr(f.name))
		if !other {
			continue
		}
		if attrs == nil {
			attrs = object.AsValueMap()
		}
		attrs[f.name] = v
	}
	if attrs == nil {
		return object, false
	}
	return cty.ObjectVal(attrs), true
}

func isBlock(f *field) bool { return f.block }

// withBlocks returns v, the value of the field, with an empty value for each repeated block that is
// null, at any depth. It reports whether the result differs from v.
func (f *field) withBlocks(v cty.Value) (_ cty.Value, changed bool) {
	object, _ := f.node.nesting()
	switch kind := f.node.kind; {
	case kind == kindPointer || kind == kindObject:
		return withBlocks(object.fields, v)
	case v.IsNull():
		return f.node.empty(), true
	case !v.IsKnown() || v.LengthInt() == 0 || !object.anyField(isBlock):
		return v, false
	case kind == kindMap:
		elems := v.AsValueMap()
		for key, elem := range elems {
			now, other := withBlocks(object.fields, elem)
			elems[key], changed = now, changed || other
		}
		return cty.MapVal(elems), changed
	}
	elems := wire.Elements(v)
	for i, elem := range elems {
		now, other := withBlocks(object.fields, elem)
		elems[i], changed = now, changed || other
	}
	if f.node.kind == kindSet {
		return cty.SetVal(elems), changed
	}
	return cty.ListVal(elems), changed
}

// withoutWriteOnly removes from a state the values that must not be stored: an attribute
// may have become write-only.
func (m *managed) withoutWriteOnly(state cty.Value) cty.Value {
	if !usable(state) || !m.body.ContainsWriteOnly() {
		return state
	}
	attrs := state.AsValueMap()
	for _, a := range m.ins {
		switch {
		case a.writeOnly():
			attrs[a.name] = a.node.null
		case a.node.hasWriteOnly:
			attrs[a.name] = a.node.overlay(attrs[a.name], cty.NilVal)
		}
	}
	return cty.ObjectVal(attrs)
}

// withoutTransient removes the transient outputs from a state. Clients upgrade each state
// that they read, and take the result as the state before the run, so the removal is neither
// drift nor a change.
func (m *managed) withoutTransient(state cty.Value) cty.Value {
	if !usable(state) || !slices.ContainsFunc(m.outs, func(a *attribute) bool { return a.transient }) {
		return state
	}
	attrs := state.AsValueMap()
	for _, a := range m.outs {
		if a.transient {
			attrs[a.name] = a.node.null
		}
	}
	return cty.ObjectVal(attrs)
}

// UpgradeResourceIdentity implements [provider.Interface].
func (s *server) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) provider.UpgradeResourceIdentityResponse {
	m := s.resources[req.TypeName]
	switch {
	case m == nil:
		return provider.UpgradeResourceIdentityResponse{Diagnostics: unknownType(req.TypeName)}
	case m.identity == nil:
		d := unknownType(req.TypeName)
		d[0].Summary, d[0].Detail = "No identity", fmt.Sprintf("The resource type %s has no identity.", req.TypeName)
		return provider.UpgradeResourceIdentityResponse{Diagnostics: d}
	}
	c := &call{typeName: req.TypeName, pathless: true}
	id := m.identity.null
	err := c.guardPanic(ctx, "IdentityMigrations", func() (err error) {
		id, err = m.identity.upgrade(c.context(ctx), req)
		return err
	})
	return provider.UpgradeResourceIdentityResponse{
		UpgradedIdentity: id,
		Diagnostics:      c.diagnostics("Cannot read the stored identity of "+req.TypeName, err),
	}
}

func (p *identityPlan) upgrade(ctx context.Context, req provider.UpgradeResourceIdentityRequest) (cty.Value, error) {
	raw := req.RawIdentityJSON
	if len(raw) == 0 {
		return p.null, nil // the object is older than the identity of its type; Read will set it
	}
	if req.Version > p.version {
		return p.null, newerVersion(req.Version, p.version)
	}
	return p.migrations.decode(ctx, p.codec, raw, req.Version, p.version)
}

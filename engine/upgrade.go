package engine

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/states"
)

// decode is CHECKS §6 and §7: a stored object in the current schema. The provider is
// asked on every read, at equal versions too.
func (n *node) decode(src *states.ResourceInstanceObjectSrc) (*states.ResourceInstanceObject, tfdiags.Diagnostics) {
	v, diags := n.upgradeState(src)
	if diags.HasErrors() {
		return nil, diags
	}
	id, said := n.upgradeIdentity(src)
	diags = append(diags, said...)
	if diags.HasErrors() {
		return nil, diags
	}
	return &states.ResourceInstanceObject{
		Value: v, Identity: id, SensitivePaths: pathsIn(v, src.AttrSensitivePaths), Private: src.Private,
		Status: src.Status, Dependencies: src.Dependencies, CreateBeforeDestroy: src.CreateBeforeDestroy,
	}, diags
}

// pathsIn are the paths that are in v: an upgraded object may not have all of them.
func pathsIn(v cty.Value, paths []cty.Path) []cty.Path {
	missing := func(path cty.Path) bool { _, err := path.Apply(v); return err != nil }
	if !slices.ContainsFunc(paths, missing) {
		return paths
	}
	return slices.DeleteFunc(slices.Clone(paths), missing)
}

// version is a stored version as requests have it.
func version(stored uint64) int64 {
	if stored > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(stored)
}

func (n *node) upgradeState(src *states.ResourceInstanceObjectSrc) (cty.Value, tfdiags.Diagnostics) {
	current := uint64(max(n.schema.Version, 0))
	if src.SchemaVersion > current {
		return cty.NilVal, n.errorf("Resource instance managed by newer provider version",
			"The state of %s has schema version %d, and the provider knows the versions up to %d: a newer provider wrote it. Use that one.", n.text, src.SchemaVersion, current)
	}
	req := provider.UpgradeResourceStateRequest{TypeName: n.addr.Resource.Resource.Type, Version: version(src.SchemaVersion)}
	switch {
	case len(src.AttrsJSON) > 0:
		req.RawStateJSON = src.AttrsJSON
		if src.SchemaVersion == current {
			req.RawStateJSON = n.schema.withoutUnknownAttributes(src.AttrsJSON)
		}
	default:
		req.RawStateFlatmap = src.AttrsFlat
	}
	resp := call(n.ctx, n.Engine, "UpgradeResourceState", n.text, n.provider.UpgradeResourceState, req)
	diags := n.said(resp.Diagnostics)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	v := null(resp.UpgradedState, n.schema.ty)
	summary := "Invalid resource state transformation"
	if n.terraform() {
		summary = "Invalid resource state upgrade"
		if !v.IsWhollyKnown() {
			return cty.NilVal, append(diags, n.errorf(summary, "The %s provider upgraded the state of %s, and left a part of it unknown.%s", n.provider.addr.Provider, n.text, providerBug)...)
		}
	} else {
		v = cty.UnknownAsNull(v)
	}
	if problem := conforms(v, n.schema.ty); problem != "" {
		return cty.NilVal, append(diags, n.errorf(summary, "The %s provider upgraded the state of %s to something that is no object of its type: %s.%s", n.provider.addr.Provider, n.text, problem, providerBug)...)
	}
	diags = append(diags, n.checkWriteOnly(v, summary)...)
	return v, diags
}

func (n *node) upgradeIdentity(src *states.ResourceInstanceObjectSrc) (cty.Value, tfdiags.Diagnostics) {
	ty := n.schema.identity
	current := uint64(max(n.schema.IdentityVersion, 0))
	stored := src.IdentitySchemaVersion
	if len(src.IdentityJSON) > 0 || n.terraform() {
		if stored > current {
			summary := "Resource identity managed by newer provider version"
			if n.terraform() {
				summary = "Resource instance managed by newer provider version"
			}
			return cty.NilVal, n.errorf(summary, "The identity of %s was written by a newer version of the provider: its schema version is %d, and the provider's is %d.", n.text, stored, current)
		}
	}
	if ty == cty.NilType {
		return cty.NilVal, nil
	}
	if stored == current || (len(src.IdentityJSON) == 0 && !n.terraform()) {
		if len(src.IdentityJSON) == 0 {
			return cty.NilVal, nil
		}
		v, err := ctyjson.Unmarshal(src.IdentityJSON, ty)
		if err != nil {
			return cty.NilVal, n.errorf("Invalid resource identity", "The stored identity of %s cannot be read: %s.", n.text, errorText(err))
		}
		return v, nil
	}
	resp := call(n.ctx, n.Engine, "UpgradeResourceIdentity", n.text, n.provider.UpgradeResourceIdentity, provider.UpgradeResourceIdentityRequest{
		TypeName: n.addr.Resource.Resource.Type, Version: version(stored), RawIdentityJSON: src.IdentityJSON,
	})
	diags := n.said(resp.Diagnostics)
	if diags.HasErrors() {
		return cty.NilVal, diags
	}
	v := resp.UpgradedIdentity
	if v == cty.NilVal || v.IsNull() {
		if !n.terraform() {
			return cty.NilVal, append(diags, n.errorf("Provider returned no identity after upgrade", "The provider returned no identity for %s after upgrading it.%s", n.text, providerBug)...)
		}
		return cty.NilVal, diags
	}
	if !v.IsWhollyKnown() {
		return cty.NilVal, append(diags, n.errorf("Invalid resource identity upgrade", "The provider upgraded the identity of %s, but the result has values that are not known.%s", n.text, providerBug)...)
	}
	if problem := conforms(v, ty); problem != "" {
		return cty.NilVal, append(diags, n.errorf("Invalid resource identity upgrade", "The provider upgraded the identity of %s, but the result is not of its schema: %s.%s", n.text, problem, providerBug)...)
	}
	return v, diags
}

// withoutUnknownAttributes drops what the type does not have from a stored object
// of the same version: core does so before it asks the provider.
func (t *typeSchema) withoutUnknownAttributes(src []byte) []byte {
	if _, err := t.codec.DecodeJSON(src); err == nil {
		return src
	}
	var raw any
	if err := json.Unmarshal(src, &raw); err != nil {
		return src
	}
	dropUnknown(raw, t.ty)
	out, err := json.Marshal(raw)
	if err != nil {
		return src
	}
	return out
}

func dropUnknown(raw any, ty cty.Type) {
	switch raw := raw.(type) {
	case map[string]any:
		for name, v := range raw {
			switch {
			case ty.IsObjectType() && !ty.HasAttribute(name):
				delete(raw, name)
			case ty.IsObjectType():
				dropUnknown(v, ty.AttributeType(name))
			case ty.IsMapType():
				dropUnknown(v, ty.ElementType())
			}
		}
	case []any:
		for i, v := range raw {
			switch {
			case ty.IsListType() || ty.IsSetType():
				dropUnknown(v, ty.ElementType())
			case ty.IsTupleType() && i < ty.Length():
				dropUnknown(v, ty.TupleElementType(i))
			}
		}
	}
}

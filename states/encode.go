package states

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// Encode makes of o what a state stores. The type is that of the schema, not of
// the value, so that attributes of dynamic type keep the types that they have;
// the versions are those of the schemas of the object and of its identity.
//
// What is marked in the value counts as a sensitive path. An object that is only
// planned is stored without what is unknown, which no other may have. Errors
// are [cty.PathError]; no value is in their text. What o refers to is shared.
func (o *ResourceInstanceObject) Encode(ty cty.Type, schemaVersion, identitySchemaVersion uint64) (*ResourceInstanceObjectSrc, error) {
	if o.Value == cty.NilVal {
		return nil, errors.New("the object has no value")
	}
	codec, value, paths := codecOf(ty), o.Value, o.SensitivePaths
	// Most values can be written as they are, and looking would cost as much.
	attrs, err := codec.AppendJSON(nil, value)
	if err != nil && value.ContainsMarked() {
		unmarked, marked := value.UnmarkDeepWithPaths()
		value, paths = unmarked, slices.Clip(paths)
		for _, m := range marked {
			paths = append(paths, m.Path)
		}
		attrs, err = codec.AppendJSON(nil, value)
	}
	if err != nil && o.Status == ObjectPlanned {
		attrs, err = codec.AppendJSON(nil, cty.UnknownAsNull(value))
	}
	if err != nil {
		return nil, err
	}
	out := &ResourceInstanceObjectSrc{
		SchemaVersion:       schemaVersion,
		AttrsJSON:           attrs,
		AttrSensitivePaths:  sortedPaths(paths),
		Private:             o.Private,
		Status:              o.Status,
		Dependencies:        sortedDependencies(o.Dependencies),
		CreateBeforeDestroy: o.CreateBeforeDestroy,
		SkipDestroy:         o.SkipDestroy,
	}
	if o.Identity != cty.NilVal && !o.Identity.IsNull() {
		id := o.Identity
		if o.Status == ObjectPlanned {
			id = cty.UnknownAsNull(id)
		}
		if out.IdentityJSON, err = wire.NewCodec(id.Type()).AppendJSON(nil, id); err != nil {
			return nil, fmt.Errorf("identity: %w", err)
		}
		out.IdentitySchemaVersion = identitySchemaVersion
	}
	return out, nil
}

// Decode reads the attributes as the type, which is that of the schema whose
// version is SchemaVersion, and the identity as the type of its schema:
// cty.NilType where there is none. Attributes that the type does not have are an
// error, those that are missing are null. Errors are [cty.PathError].
func (s *ResourceInstanceObjectSrc) Decode(ty, identity cty.Type) (*ResourceInstanceObject, error) {
	value, err := s.decodeAttrs(ty)
	if err != nil {
		return nil, err
	}
	out := &ResourceInstanceObject{
		Value:               value,
		SensitivePaths:      s.AttrSensitivePaths,
		Private:             s.Private,
		Status:              s.Status,
		Dependencies:        s.Dependencies,
		CreateBeforeDestroy: s.CreateBeforeDestroy,
		SkipDestroy:         s.SkipDestroy,
	}
	if len(s.IdentityJSON) > 0 && identity != cty.NilType {
		if out.Identity, err = codecOf(identity).DecodeJSON(s.IdentityJSON); err != nil {
			return nil, fmt.Errorf("identity: %w", err)
		}
	}
	return out, nil
}

func (s *ResourceInstanceObjectSrc) decodeAttrs(ty cty.Type) (cty.Value, error) {
	if s.AttrsFlat != nil {
		return fromFlatmap(s.AttrsFlat, ty)
	}
	return codecOf(ty).DecodeJSON(s.AttrsJSON)
}

// CompleteUpgrade is s with the attributes that an upgrade to the schema of the
// type and version has given.
func (s *ResourceInstanceObjectSrc) CompleteUpgrade(attrs cty.Value, ty cty.Type, schemaVersion uint64) (*ResourceInstanceObjectSrc, error) {
	src, err := codecOf(ty).AppendJSON(nil, attrs)
	if err != nil {
		return nil, err
	}
	out := *s
	out.AttrsJSON, out.AttrsFlat, out.SchemaVersion = src, nil, schemaVersion
	return &out, nil
}

// sortedDependencies are the addresses once each, in the order of their texts,
// so that the same dependencies are stored in the same way.
func sortedDependencies(in []addrs.ConfigResource) []addrs.ConfigResource {
	if len(in) == 0 {
		return nil
	}
	type dependency struct {
		text string
		addr addrs.ConfigResource
	}
	all := make([]dependency, len(in))
	for i, addr := range in {
		all[i] = dependency{addr.String(), addr}
	}
	slices.SortFunc(all, func(a, b dependency) int { return strings.Compare(a.text, b.text) })
	all = slices.CompactFunc(all, func(a, b dependency) bool { return a.text == b.text })
	out := make([]addrs.ConfigResource, len(all))
	for i, d := range all {
		out[i] = d.addr
	}
	return out
}

// sortedPaths are the paths once each, in the order of their texts.
func sortedPaths(in []cty.Path) []cty.Path {
	if len(in) < 2 {
		return slices.Clip(in)
	}
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b cty.Path) int { return strings.Compare(diag.FormatPath(a), diag.FormatPath(b)) })
	return slices.CompactFunc(out, cty.Path.Equals)
}

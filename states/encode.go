package states

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/marks"
)

// Encode returns the stored form of o. ty is the type of the schema and not of the
// value, so that attributes of dynamic type keep their types. The versions are those of
// the schemas of the object and of its identity.
//
// The paths of values with the mark marks.Sensitive become sensitive paths; other marks are an error,
// because a state cannot have them. A planned object is stored with null in place of its
// unknown values; other objects must not have any. Errors in attributes are [cty.PathError]
// without values in their text. The result shares data with o.
func (o *ResourceInstanceObject) Encode(ty cty.Type, schemaVersion, identitySchemaVersion uint64) (*ResourceInstanceObjectSrc, error) {
	if o.Value == cty.NilVal {
		return nil, errors.New("the object has no value")
	}
	codec, value, paths := codecOf(ty), o.Value, o.SensitivePaths
	// Most values can be encoded directly; checking them for marks first would cost as much as encoding them.
	attrs, err := codec.AppendJSON(nil, value)
	if err != nil && value.ContainsMarked() {
		unmarked, marked := value.UnmarkDeepWithPaths()
		value, paths = unmarked, slices.Clip(paths)
		for _, m := range marked {
			for mark := range m.Marks {
				if mark != marks.Sensitive {
					return nil, m.Path.NewErrorf("the value has the mark %v, which a state cannot have", mark)
				}
			}
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

// Decode decodes the attributes with ty, the type of the schema of version SchemaVersion. It
// decodes the identity with identity, the type of its schema, unless identity is cty.NilType.
// Attributes in AttrsJSON that the type does not have are an error; missing ones are null, except in
// values of dynamic type, where they are an error. An error about an attribute is a [cty.PathError];
// one about the identity wraps one.
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

// CompleteUpgrade returns a copy of s with attrs, which were upgraded to the schema of
// the type and version. It returns an error if they cannot be encoded.
func (s *ResourceInstanceObjectSrc) CompleteUpgrade(attrs cty.Value, ty cty.Type, schemaVersion uint64) (*ResourceInstanceObjectSrc, error) {
	src, err := codecOf(ty).AppendJSON(nil, attrs)
	if err != nil {
		return nil, err
	}
	out := *s
	out.AttrsJSON, out.AttrsFlat, out.SchemaVersion = src, nil, schemaVersion
	return &out, nil
}

// sortedDependencies returns the unique addresses sorted by text, so that equal
// dependencies are stored as equal bytes.
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

// sortedPaths returns the unique paths sorted by text.
func sortedPaths(in []cty.Path) []cty.Path {
	if len(in) < 2 {
		return slices.Clip(in)
	}
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b cty.Path) int { return strings.Compare(diag.FormatPath(a), diag.FormatPath(b)) })
	return slices.CompactFunc(out, cty.Path.Equals)
}

// maxCodecs is the number of cached codecs at which the cache is cleared. It is larger
// than the usual number of types in one run.
const maxCodecs = 1024

// codecs caches codecs by the address of the attribute map of their types, which identifies
// a type without a comparison. An entry keeps its type alive, so that the map's address is not
// reused.
var codecs = struct {
	sync.RWMutex
	by map[uintptr]codecEntry
}{by: map[uintptr]codecEntry{}}

type codecEntry struct {
	ty    cty.Type
	codec *wire.Codec
}

// codecOf returns the codec of the type. It caches the codec of an object type, for callers
// that pass the same cty.Type value again.
func codecOf(ty cty.Type) *wire.Codec {
	if ty == cty.NilType || !ty.IsObjectType() {
		return wire.NewCodec(ty)
	}
	key := reflect.ValueOf(ty.AttributeTypes()).Pointer()
	codecs.RLock()
	entry := codecs.by[key]
	codecs.RUnlock()
	if entry.codec != nil {
		return entry.codec
	}
	entry = codecEntry{ty: ty, codec: wire.NewCodec(ty)}
	codecs.Lock()
	defer codecs.Unlock()
	if len(codecs.by) >= maxCodecs {
		clear(codecs.by)
	}
	codecs.by[key] = entry
	return entry.codec
}

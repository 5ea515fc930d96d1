package states

import (
	"cmp"
	"encoding/json"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// ObjectStatus is the status of an object.
type ObjectStatus rune

const (
	// ObjectReady means that the object is usable.
	ObjectReady ObjectStatus = 'R'
	// ObjectTainted means that the object must be replaced: its creation failed, or it
	// was marked by the taint command.
	ObjectTainted ObjectStatus = 'T'
	// ObjectPlanned marks a placeholder, during a plan, for an object that will be created or
	// changed. The plan has the value of the object, because the state cannot store unknown values.
	ObjectPlanned ObjectStatus = 'P'
)

// String returns the name of the status.
func (s ObjectStatus) String() string {
	names := map[ObjectStatus]string{ObjectReady: "ObjectReady", ObjectTainted: "ObjectTainted", ObjectPlanned: "ObjectPlanned"}
	return cmp.Or(names[s], "ObjectStatus("+string(rune(s))+")")
}

// ResourceInstanceObject is a decoded object of an instance. It is immutable.
type ResourceInstanceObject struct {
	// Value is the object. [ResourceInstanceObjectSrc.Decode] returns it without marks.
	Value cty.Value
	// SensitivePaths are the paths in Value that are sensitive because of their origin. Those of
	// a decoded object include the stored paths that are sensitive by the schema.
	SensitivePaths []cty.Path
	// Identity is cty.NilVal if the object has none.
	Identity cty.Value
	// Private is opaque data of the provider.
	Private []byte
	Status  ObjectStatus
	// Dependencies are the dependencies of the object when it was applied. They
	// determine the order of deletion if the configuration has no block for the object.
	Dependencies []addrs.ConfigResource
	// CreateBeforeDestroy is the value of the argument create_before_destroy when the
	// object was last applied.
	CreateBeforeDestroy bool
	// SkipDestroy means that OpenTofu removes the object from the state without
	// destroying it. It is true if the argument destroy was false when the object was last
	// applied.
	SkipDestroy bool
}

// DeepCopy returns a copy that shares no mutable data.
func (o *ResourceInstanceObject) DeepCopy() *ResourceInstanceObject {
	if o == nil {
		return nil
	}
	out := *o
	out.SensitivePaths = copyPaths(o.SensitivePaths)
	out.Private = append([]byte(nil), o.Private...)
	out.Dependencies = append([]addrs.ConfigResource(nil), o.Dependencies...)
	return &out
}

// AsTainted returns a copy with the status ObjectTainted.
func (o *ResourceInstanceObject) AsTainted() *ResourceInstanceObject {
	out := o.DeepCopy()
	if out != nil {
		out.Status = ObjectTainted
	}
	return out
}

func copyPaths(in []cty.Path) []cty.Path {
	if in == nil {
		return nil
	}
	out := make([]cty.Path, len(in))
	for i, path := range in {
		out[i] = path.Copy()
	}
	return out
}

// ResourceInstanceObjectSrc is a stored object. Attributes of an older schema must be
// upgraded before [ResourceInstanceObjectSrc.Decode]. It is immutable.
type ResourceInstanceObjectSrc struct {
	// SchemaVersion is the version of the attributes' schema.
	SchemaVersion uint64
	// AttrsJSON is the object in JSON. AttrsFlat is the object in the format of old Terraform
	// versions, which Encode does not produce. One of them is nil.
	AttrsJSON []byte
	AttrsFlat map[string]string
	// AttrSensitivePaths are the paths in the object that are sensitive because of
	// their origin. Package engine adds those that are sensitive by the schema.
	AttrSensitivePaths []cty.Path

	// IdentityJSON is nil if the object has no identity; IdentitySchemaVersion is the
	// version of its schema.
	IdentityJSON          []byte
	IdentitySchemaVersion uint64

	// The following are as in ResourceInstanceObject.
	Private             []byte
	Status              ObjectStatus
	Dependencies        []addrs.ConfigResource
	CreateBeforeDestroy bool
	SkipDestroy         bool

	// Extra has unknown fields of the object in the file.
	Extra map[string]json.RawMessage
}

// DeepCopy returns a copy that shares no mutable data.
func (s *ResourceInstanceObjectSrc) DeepCopy() *ResourceInstanceObjectSrc {
	if s == nil {
		return nil
	}
	out := *s
	out.AttrsJSON = append([]byte(nil), s.AttrsJSON...)
	out.AttrsFlat = maps.Clone(s.AttrsFlat)
	out.AttrSensitivePaths = copyPaths(s.AttrSensitivePaths)
	out.IdentityJSON = append([]byte(nil), s.IdentityJSON...)
	out.Private = append([]byte(nil), s.Private...)
	out.Dependencies = append([]addrs.ConfigResource(nil), s.Dependencies...)
	out.Extra = copyExtra(s.Extra)
	return &out
}

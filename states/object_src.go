package states

import (
	"encoding/json"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// ResourceInstanceObjectSrc is an object as it is stored: its attributes may be
// of an older schema, and have to be upgraded before [ResourceInstanceObjectSrc.Decode].
// It is never changed once made.
type ResourceInstanceObjectSrc struct {
	// SchemaVersion is the version of the schema that the attributes are of.
	SchemaVersion uint64
	// AttrsJSON is the object in JSON. AttrsFlat is the form of early versions,
	// of which only reading is supported. One of both is nil.
	AttrsJSON []byte
	AttrsFlat map[string]string
	// AttrSensitivePaths are the paths in the object that are sensitive because
	// of where their values came from.
	AttrSensitivePaths []cty.Path

	// IdentityJSON is nil where the object has no identity;
	// IdentitySchemaVersion is the version of the schema that it is of.
	IdentityJSON          []byte
	IdentitySchemaVersion uint64

	// What follows is as in ResourceInstanceObject.
	Private             []byte
	Status              ObjectStatus
	Dependencies        []addrs.ConfigResource
	CreateBeforeDestroy bool
	SkipDestroy         bool

	// Extra is what a file said about the object that no field here is for.
	Extra map[string]json.RawMessage
}

// DeepCopy is a copy that shares nothing that could be changed.
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

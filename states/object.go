package states

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// ObjectStatus is how far an object can be relied upon.
type ObjectStatus rune

const (
	// ObjectReady is for an object that can be used.
	ObjectReady ObjectStatus = 'R'
	// ObjectTainted is for an object whose creation or change failed half-way: it
	// must be replaced.
	ObjectTainted ObjectStatus = 'T'
	// ObjectPlanned is for what stands in, during a plan, for an object that will
	// be created. The plan has its value: the state cannot hold what is unknown.
	ObjectPlanned ObjectStatus = 'P'
)

// String is the name of the status.
func (s ObjectStatus) String() string {
	switch s {
	case ObjectReady:
		return "ObjectReady"
	case ObjectTainted:
		return "ObjectTainted"
	case ObjectPlanned:
		return "ObjectPlanned"
	default:
		return "ObjectStatus(" + string(rune(s)) + ")"
	}
}

// ResourceInstanceObject is one object of an instance, of a schema that is known.
// It is never changed once made.
type ResourceInstanceObject struct {
	// Value is the object as expressions have it, without marks.
	Value cty.Value
	// SensitivePaths are the paths in Value that are sensitive because of where
	// their values came from. What the schema says is not among them.
	SensitivePaths []cty.Path
	// Identity is cty.NilVal where the object has none.
	Identity cty.Value
	// Private is the provider's, and opaque.
	Private []byte
	Status  ObjectStatus
	// Dependencies are what the object depended on when it was applied. They
	// give the order of deletion where configuration has no block anymore.
	Dependencies []addrs.ConfigResource
	// CreateBeforeDestroy is the option when the object was last applied.
	CreateBeforeDestroy bool
	// SkipDestroy is OpenTofu's option to forget the object instead of deleting
	// it, when it was last applied.
	SkipDestroy bool
}

// DeepCopy is a copy that shares nothing that could be changed.
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

// AsTainted is a copy with the status ObjectTainted.
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

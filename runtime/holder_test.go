package runtime_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Holder is a resource with an attribute of any type, for tests of unusual types.
type Holder[P any] struct {
	Name string
	Note *string
	V    P `tf:",optional"`

	world *holderWorld[P]
}

type HolderOutput[P any] struct {
	Name string
	V    P `tf:",optional"`
}

// holderWorld stores the objects of a Holder. It may complete and validate them.
type holderWorld[P any] struct {
	objects  map[string]HolderOutput[P]
	complete func(P) P
	validate func(P) error
	same     func(a, b P) bool // for a LooseHolder
}

func (*Holder[P]) SchemaVersion() int      { return 0 }
func (*Holder[P]) ReplaceFields() []string { return []string{"name"} }

func (h *Holder[P]) ValidateInputs(context.Context, runtime.NoConfig) error {
	if h.world.validate == nil {
		return nil
	}
	return h.world.validate(h.V)
}

func (h *Holder[P]) Create(context.Context, runtime.NoConfig) (*HolderOutput[P], error) {
	out := HolderOutput[P]{Name: h.Name, V: h.V}
	if h.world.complete != nil {
		out.V = h.world.complete(h.V)
	}
	h.world.objects[h.Name] = out
	return &out, nil
}

func (h *Holder[P]) Read(_ context.Context, _ runtime.NoConfig, prior *HolderOutput[P]) (*HolderOutput[P], error) {
	out, ok := h.world.objects[prior.Name]
	if !ok {
		return nil, runtime.ErrNotFound
	}
	return &out, nil
}

func (h *Holder[P]) Update(ctx context.Context, cfg runtime.NoConfig, _ runtime.Prior[Holder[P], *HolderOutput[P]]) (*HolderOutput[P], error) {
	return h.Create(ctx, cfg)
}

func (h *Holder[P]) Delete(_ context.Context, _ runtime.NoConfig, prior *HolderOutput[P]) error {
	delete(h.world.objects, prior.Name)
	return nil
}

// newHolder returns the store of the objects of a Holder, and a driver for a guarded provider with the resource.
func newHolder[P any](t *testing.T) (*holderWorld[P], *driver) {
	t.Helper()
	w := &holderWorld[P]{objects: map[string]HolderOutput[P]{}}
	reg := runtime.MakeResourceWith[Holder[P], *HolderOutput[P], runtime.NoConfig](func() *Holder[P] { return &Holder[P]{world: w} })
	p := newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"holder": reg}})
	return w, newDriver(t, guard.Wrap(p), "test_holder")
}

// holding returns a configuration of a Holder whose struct has these attributes.
func (d *driver) holding(set attrs) cty.Value {
	d.t.Helper()
	return d.config(attrs{"name": str("n"), "v": partly(d.schema.Body.ImpliedType().AttributeType("v"), set)})
}

// elementType returns the element type of an attribute of the struct.
func (d *driver) elementType(name string) cty.Type {
	return d.schema.Body.ImpliedType().AttributeType("v").AttributeType(name).ElementType()
}

// partly returns an object with the attributes of set; its others are null.
func partly(ty cty.Type, set attrs) cty.Value {
	all := attrs{}
	for name, at := range ty.AttributeTypes() {
		all[name] = cty.NullVal(at)
		if v, ok := set[name]; ok {
			all[name] = v
		}
	}
	return cty.ObjectVal(all)
}

package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

type attrs = map[string]cty.Value

// Thing is a resource with many optional methods. Its objects are stored in a map.
type Thing struct {
	Name     string
	Color    string `tf:",optional"`
	Size     *int64
	Shape    *string
	Labels   map[string]string `tf:",optional"`
	Secret   string            `tf:",optional,writeonly"`
	SecretNo *int64
	Note     string `tf:",optional"`

	store *store
}

type ThingOutput struct {
	Name   string
	Color  string
	Size   int64             `tf:",computed"`
	Shape  *string           `tf:",optional"`
	Labels map[string]string `tf:",optional"`
	Serial int64
	Age    int64 `tf:",volatile"`
}

type ThingID struct {
	Name   string
	Region *string
}

// store has the real objects.
type store struct {
	mu     sync.Mutex
	things map[string]ThingOutput
	secret map[string]string
	region string // of all identities
	serial int64
	fail   map[string]error // by method
	panics string
	log    sync.Mutex
	calls  []string
}

func newStore() *store {
	return &store{things: map[string]ThingOutput{}, secret: map[string]string{}, region: "here", fail: map[string]error{}}
}

func (s *store) called(method string) error {
	s.note(method)
	if s.panics == method {
		var empty map[string]*Thing
		_ = empty[method].Name // a run-time panic, as from a real bug
	}
	return s.fail[method]
}

func (s *store) note(call string) {
	s.log.Lock()
	defer s.log.Unlock()
	s.calls = append(s.calls, call)
}

func (s *store) provider(t *testing.T) provider.Interface {
	t.Helper()
	return newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{"thing": s.registration()}})
}

func (s *store) registration() runtime.ResourceRegistration {
	return runtime.MakeResourceWith[Thing, *ThingOutput, runtime.NoConfig](func() *Thing { return &Thing{store: s} })
}

func (*Thing) SchemaVersion() int      { return 2 }
func (*Thing) ReplaceFields() []string { return []string{"name"} }

func (r *Thing) Defaults() { r.Color = "Red" }

func (r *Thing) ValidateInputs(context.Context, runtime.NoConfig) error {
	if err := r.store.called("ValidateInputs"); err != nil {
		return err
	}
	if r.Color == "ultraviolet" {
		return fmt.Errorf("nobody can see %s", r.Color)
	}
	return nil
}

func (*Thing) EquivalentInput(field string, prior, current Thing) bool {
	return field == "color" && strings.EqualFold(prior.Color, current.Color)
}

func (*Thing) ModifyResourcePlan(req runtime.ResourcePlanRequest[Thing, *ThingOutput, runtime.NoConfig], resp *runtime.ResourcePlanResponse) error {
	if runtime.Changed(req.PriorInputs.Color, req.CurrentInputs.Color) {
		resp.MarkOutputUnknown("serial")
	}
	if req.CurrentInputs.Note == "keep" {
		resp.KeepOutput("serial")
	}
	if applied, read := req.AppliedOutputs.Serial, req.PriorOutputs.Serial; applied != read && req.CurrentInputs.Note == "warn" {
		resp.Warn("note", "Drift", fmt.Sprintf("Serial was %d and is %d.", applied, read))
	} else if req.CurrentInputs.Note == "warn" {
		resp.Warn("note", "A note", "About a note.")
	}
	return nil
}

func (r *Thing) Identity(_ runtime.NoConfig, out *ThingOutput) ThingID {
	return ThingID{Name: out.Name, Region: new(r.store.region)}
}

func (*Thing) Import(_ context.Context, _ runtime.NoConfig, id ThingID) (*ThingOutput, error) {
	if id.Region != nil && *id.Region != "here" {
		return nil, fmt.Errorf("there is no region %s", *id.Region)
	}
	return &ThingOutput{Name: id.Name}, nil
}

func (*Thing) ParseImportID(id string) (ThingID, error) {
	region, name, ok := strings.Cut(id, "/")
	if !ok {
		return ThingID{}, errors.New("it must have the form region/name")
	}
	return ThingID{Name: name, Region: &region}, nil
}

func (*Thing) Migrations() []runtime.Migration {
	type v0 struct {
		Colour string `tf:",optional"`
	}
	type v1 struct {
		Color string `tf:",optional"`
	}
	type v1big struct {
		Big bool `tf:",optional"`
	}
	type v2 struct {
		Size int64
	}
	return []runtime.Migration{
		runtime.Migrate(0, func(_ context.Context, old v0) (v1, error) { return v1{Color: old.Colour}, nil }),
		runtime.Migrate(1, func(_ context.Context, old v1big) (v2, error) {
			if old.Big {
				return v2{Size: 100}, nil
			}
			return v2{Size: 1}, nil
		}),
	}
}

func (*Thing) Moves() []runtime.Move {
	type object struct {
		Title string
		Tint  string `tf:",optional"`
	}
	return []runtime.Move{
		runtime.MoveFrom("acme/old", "old_object", func(_ context.Context, old object) (Thing, *ThingOutput, error) {
			if old.Title == "" {
				return Thing{}, nil, errors.New("it has no title")
			}
			return Thing{Name: old.Title, Color: old.Tint}, &ThingOutput{Name: old.Title, Color: old.Tint, Size: 1, Serial: 7}, nil
		}),
	}
}

func (r *Thing) write(ctx context.Context, method string) (*ThingOutput, error) {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	err := r.store.called(method)
	if err != nil && !errors.Is(err, errHalfway) {
		return nil, err
	}
	out := ThingOutput{Name: r.Name, Color: r.Color, Shape: r.Shape, Labels: r.Labels, Size: 1}
	if r.Size != nil {
		out.Size = *r.Size
	}
	old, exists := r.store.things[r.Name]
	if out.Serial = old.Serial; !exists || !strings.EqualFold(old.Color, out.Color) {
		r.store.serial++
		out.Serial = r.store.serial
	}
	r.store.things[r.Name] = out
	r.store.secret[r.Name] = r.Secret
	runtime.Private(ctx).Set("by", []byte(method))
	if r.Note == "warn" {
		runtime.Warn(ctx, "note", "Noted", "In "+method+".")
	}
	return &out, err
}

var errHalfway = errors.New("stopped half-way")

func (r *Thing) Create(ctx context.Context, _ runtime.NoConfig) (*ThingOutput, error) {
	return r.write(ctx, "Create")
}

func (r *Thing) Update(ctx context.Context, _ runtime.NoConfig, prior runtime.Prior[Thing, *ThingOutput]) (*ThingOutput, error) {
	r.store.note(fmt.Sprintf("applied serial %d, observed %d", prior.Outputs.Serial, prior.Observed.Serial))
	return r.write(ctx, "Update")
}

func (r *Thing) Read(_ context.Context, _ runtime.NoConfig, prior *ThingOutput) (*ThingOutput, error) {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if err := r.store.called("Read"); err != nil {
		return nil, err
	}
	out, ok := r.store.things[prior.Name]
	if !ok {
		return nil, fmt.Errorf("thing %s: %w", prior.Name, runtime.ErrNotFound)
	}
	out.Age++
	r.store.things[prior.Name] = out
	return &out, nil
}

func (r *Thing) Delete(ctx context.Context, _ runtime.NoConfig, prior *ThingOutput) error {
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	if err := r.store.called("Delete by " + string(runtime.Private(ctx).Get("by"))); err != nil {
		return err
	}
	if err := r.store.fail["Delete"]; err != nil {
		return err
	}
	delete(r.store.things, prior.Name)
	return nil
}

func (s *store) change(name string, f func(*ThingOutput)) {
	out := s.things[name]
	f(&out)
	s.things[name] = out
}

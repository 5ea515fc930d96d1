package runtime_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Module is a provider_meta block.
type Module struct {
	ID    string
	Level int
	Wait  runtime.Duration      `tf:",optional"`
	Note  runtime.Value[string] `tf:",optional"`
}

func (m *Module) Defaults() { m.Level = 3 }

func (*Module) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("level", 1, 5)}
}

// Member is a resource, and Members a data source, that record the provider_meta that their
// methods get.
type Member struct {
	Name string

	recorder *metaRecorder
}

type MemberOutput struct{ Name string }

type Members struct {
	Name string

	recorder *metaRecorder
}

type metaRecorder struct {
	mu       sync.Mutex
	received map[string]string
	wrong    bool // request a type other than the registered one
}

func (l *metaRecorder) record(ctx context.Context, method string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wrong {
		_, ok := runtime.Meta[Member](ctx)
		l.received[method] = fmt.Sprint(ok)
		return
	}
	m, ok := runtime.Meta[Module](ctx)
	l.received[method] = fmt.Sprintf("%s %d %t", m.ID, m.Level, ok)
}

func (*Member) SchemaVersion() int      { return 0 }
func (*Member) ReplaceFields() []string { return nil }
func (m *Member) ValidateInputs(ctx context.Context, _ runtime.NoConfig) error {
	m.recorder.record(ctx, "ValidateInputs")
	return nil
}

func (m *Member) Create(ctx context.Context, _ runtime.NoConfig) (*MemberOutput, error) {
	m.recorder.record(ctx, "Create")
	return &MemberOutput{m.Name}, nil
}

func (m *Member) Read(ctx context.Context, _ runtime.NoConfig, prior *MemberOutput) (*MemberOutput, error) {
	m.recorder.record(ctx, "Read")
	return prior, nil
}

func (m *Member) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Member, *MemberOutput]) (*MemberOutput, error) {
	m.recorder.record(ctx, "Update")
	return &MemberOutput{m.Name}, nil
}

func (m *Member) Delete(ctx context.Context, _ runtime.NoConfig, _ *MemberOutput) error {
	m.recorder.record(ctx, "Delete")
	return nil
}

func (m *Members) Read(ctx context.Context, _ runtime.NoConfig) (*MemberOutput, error) {
	m.recorder.record(ctx, "Read of data")
	return &MemberOutput{m.Name}, nil
}

// round plans, creates, reads, updates and deletes a member and reads data, all with the
// same provider_meta. It returns what each method received, and the errors by request.
func round(t *testing.T, meta cty.Value, l *metaRecorder, registered runtime.MetaRegistration) (received, errs map[string]string) {
	t.Helper()
	l.received, errs = map[string]string{}, map[string]string{}
	p := guard.Wrap(newProvider(t, runtime.Definition{
		Name: "test", Meta: registered,
		Resources: map[string]runtime.ResourceRegistration{
			"member": runtime.MakeResourceWith[Member, *MemberOutput, runtime.NoConfig](func() *Member { return &Member{recorder: l} }),
		},
		DataSources: map[string]runtime.DataSourceRegistration{
			"members": runtime.MakeDataSourceWith[Members, *MemberOutput, runtime.NoConfig](func() *Members { return &Members{recorder: l} }),
		},
	}))
	note := func(request string, err error) {
		if err != nil {
			errs[request] = err.Error()
		}
	}
	object := func(name string) cty.Value { return cty.ObjectVal(attrs{"name": str(name)}) }
	one, two, null := object("one"), object("two"), cty.NullVal(object("").Type())
	ctx := t.Context()
	plan := p.PlanResourceChange(ctx, provider.PlanResourceChangeRequest{TypeName: "test_member", PriorState: null, Config: one, ProposedNewState: one, ProviderMeta: meta})
	note("plan", plan.Diagnostics.Err())
	for request, states := range map[string][3]cty.Value{"create": {null, one, one}, "update": {one, two, two}, "delete": {two, null, null}} {
		resp := p.ApplyResourceChange(ctx, provider.ApplyResourceChangeRequest{
			TypeName: "test_member", PriorState: states[0], PlannedState: states[1], Config: states[2], ProviderMeta: meta,
		})
		note(request, resp.Diagnostics.Err())
	}
	note("read", p.ReadResource(ctx, provider.ReadResourceRequest{TypeName: "test_member", PriorState: one, ProviderMeta: meta}).Diagnostics.Err())
	note("data", p.ReadDataSource(ctx, provider.ReadDataSourceRequest{TypeName: "test_members", Config: one, ProviderMeta: meta}).Diagnostics.Err())
	return l.received, errs
}

var metaMethods = []string{"Create", "Delete", "Read", "Read of data", "Update", "ValidateInputs"}

func moduleMeta(set attrs) cty.Value {
	all := attrs{"id": str("net"), "level": cty.NullVal(cty.Number), "wait": cty.NullVal(cty.String), "note": cty.NullVal(cty.String)}
	maps.Copy(all, set)
	return cty.ObjectVal(all)
}

func TestMeta(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meta cty.Value
		want string
	}{
		"with a default":          {moduleMeta(nil), "net 3 true"},
		"all set":                 {moduleMeta(attrs{"level": num(5)}), "net 5 true"},
		"unknown":                 {moduleMeta(attrs{"level": cty.UnknownVal(cty.Number)}), " 0 false"},
		"unknown Value":           {moduleMeta(attrs{"note": cty.UnknownVal(cty.String)}), "net 3 true"},
		"unknown block":           {cty.UnknownVal(moduleMeta(nil).Type()), " 0 false"},
		"none":                    {cty.NullVal(moduleMeta(nil).Type()), " 0 false"},
		"no block in the request": {cty.NilVal, " 0 false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received, errs := round(t, tt.meta, &metaRecorder{}, runtime.MakeMeta[Module]())
			want := map[string]string{}
			for _, method := range metaMethods {
				want[method] = tt.want
			}
			if diff := cmp.Diff(want, received); diff != "" {
				t.Errorf("provider_meta by method (-want +got):\n%s", diff)
			}
			if len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

// TestInvalidMeta checks that invalid provider_meta fails each request that has it before a method is called.
func TestInvalidMeta(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		meta cty.Value
		want []string
	}{
		"missing":          {moduleMeta(attrs{"id": cty.NullVal(cty.String)}), []string{"a value is required", "in id of the provider_meta block"}},
		"out of range":     {moduleMeta(attrs{"level": num(9)}), []string{"from 1 to 5", "in level of"}},
		"invalid duration": {moduleMeta(attrs{"wait": str("hush")}), []string{"not a duration", "in wait of"}},
		"fraction":         {moduleMeta(attrs{"level": cty.NumberFloatVal(1.5)}), []string{"whole number", "in level of"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received, errs := round(t, tt.meta, &metaRecorder{}, runtime.MakeMeta[Module]())
			if len(received) > 0 {
				t.Errorf("methods called with invalid provider_meta: %v, want none", received)
			}
			if got, want := slices.Sorted(maps.Keys(errs)), []string{"create", "data", "delete", "plan", "read", "update"}; !slices.Equal(got, want) {
				t.Errorf("requests with errors: %v, want %v", got, want)
			}
			for request, err := range errs {
				for _, word := range append(tt.want, "Invalid provider_meta") {
					if !strings.Contains(err, word) {
						t.Errorf("the error of %s does not contain %q: %s", request, word, err)
					}
				}
				if strings.Contains(err, "hush") {
					t.Errorf("%s repeats a value: %s", request, err)
				}
			}
		})
	}
}

// TestMetaOfAnotherType checks that a request fails if its method requests a type other than
// the registered one.
func TestMetaOfAnotherType(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		registered runtime.MetaRegistration
		want       string
	}{
		"another type": {runtime.MakeMeta[Module](), "runtime_test.Member"},
		"none":         {runtime.MetaRegistration{}, "MakeMeta"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			received, errs := round(t, moduleMeta(nil), &metaRecorder{wrong: true}, tt.registered)
			if len(received) != len(metaMethods) || len(errs) != 6 {
				t.Errorf("methods got %v, errors %v, want %d values and 6 errors", received, errs, len(metaMethods))
			}
			for request, err := range errs {
				if !strings.Contains(err, tt.want) || !strings.Contains(err, "rovider bug") {
					t.Errorf("%s: %s", request, err)
				}
			}
		})
	}
	if _, ok := runtime.Meta[Module](t.Context()); ok {
		t.Error("Meta returns true outside of a request")
	}
}

func TestMetaSchema(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Meta: runtime.MakeMeta[Module]()})
	body := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ProviderMeta.Body
	if !body.Attributes["id"].Required || !body.Attributes["level"].Optional || body.Attributes["level"].Computed {
		t.Errorf("id %+v, level %+v", body.Attributes["id"], body.Attributes["level"])
	}
	type secret struct {
		A *string `tf:",writeonly"`
	}
	for name, tt := range map[string]struct {
		meta runtime.MetaRegistration
		want string
	}{
		"write-only": {runtime.MakeMeta[secret](), "secret.A"},
		"no struct":  {runtime.MakeMeta[string](), "must be a struct, not string"},
		"near miss":  {runtime.MakeMeta[sourceNearDefaults](), "Defaults has the wrong signature"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refusedWith(t, runtime.Definition{Name: "test", Meta: tt.meta}, "provider_meta block", tt.want)
		})
	}
}

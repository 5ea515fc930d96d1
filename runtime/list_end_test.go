package runtime_test

import (
	"context"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func TestListEndsWithItsConsumerAndWithStop(t *testing.T) {
	t.Parallel()
	s := newStore().add("a", "b", "c")
	p := s.listing(t)
	request := provider.ListResourceRequest{TypeName: "test_thing", Config: filter(attrs{"mood": str("wait")})}

	for range p.ListResource(t.Context(), request).Results {
		break
	}
	if want := []string{"List limit 0, objects false", "List ends, ctx done true"}; !slices.Equal(s.calls, want) {
		t.Errorf("calls %q, want %q", s.calls, want)
	}

	var got []string
	for r := range p.ListResource(t.Context(), request).Results {
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = append(got, worded(r.Diagnostics)...)
	}
	if want := []string{"error: Cannot list test_thing: the list was stopped before it was complete: context canceled"}; !slices.Equal(got, want) {
		t.Errorf("results of a stopped list: %q, want %q", got, want)
	}
	if got := found(t, p, provider.ListResourceRequest{Config: filter(nil)}); len(got) != 3 {
		t.Errorf("results of a list after Stop: %q, want 3", got)
	}

	// A panic of the code that receives the results is not recovered.
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v, want mine", r)
		}
	}()
	for range p.ListResource(t.Context(), request).Results {
		panic("mine")
	}
}

// Halting is a resource whose Read calls stop and then blocks until its context is canceled.
type Halting struct {
	Name string

	stop func()
	crud[Halting, HaltingOutput]
}

type HaltingOutput struct{ Name string }

func (s *Halting) Read(ctx context.Context, _ runtime.NoConfig, _ *HaltingOutput) (*HaltingOutput, error) {
	s.stop()
	<-ctx.Done()
	return nil, ctx.Err()
}

func (*Halting) Identity(_ runtime.NoConfig, out *HaltingOutput) HaltingOutput { return *out }

type HaltingFilter struct{}

func (*HaltingFilter) List(context.Context, runtime.NoConfig, runtime.ListRequest) iter.Seq2[runtime.Listed[*HaltingOutput], error] {
	return func(yield func(runtime.Listed[*HaltingOutput], error) bool) {
		_ = yield(runtime.Listed[*HaltingOutput]{Object: &HaltingOutput{"a"}}, nil) && yield(runtime.Listed[*HaltingOutput]{Object: &HaltingOutput{"b"}}, nil)
	}
}

// TestListStopsWhileAnObjectIsRead checks that a canceled list is reported once, not
// for each object.
func TestListStopsWhileAnObjectIsRead(t *testing.T) {
	t.Parallel()
	var p provider.Interface
	p = newProvider(t, runtime.Definition{
		Name: "test",
		Resources: map[string]runtime.ResourceRegistration{"thing": runtime.MakeResourceWith[Halting, *HaltingOutput, runtime.NoConfig](func() *Halting {
			return &Halting{stop: func() { _ = p.Stop(context.Background()) }}
		})},
		Lists: map[string]runtime.ListRegistration{"thing": runtime.MakeLister[HaltingFilter, *HaltingOutput, runtime.NoConfig]()},
	})
	want := []string{"error: Cannot list test_thing: the list was stopped before it was complete: context canceled"}
	if got := found(t, p, provider.ListResourceRequest{IncludeResourceObject: true}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPanicsOfListResourcesAreRecovered(t *testing.T) {
	t.Parallel()
	made := 0
	s := newStore()
	p := newProvider(t, runtime.Definition{
		Name:      "test",
		Resources: map[string]runtime.ResourceRegistration{"thing": s.registration()},
		Lists: map[string]runtime.ListRegistration{"thing": runtime.MakeListerWith[ThingFilter, *ThingOutput, runtime.NoConfig](func() *ThingFilter {
			if made++; made > 100 {
				var empty map[string]*Thing
				_ = empty[""].Name
			}
			return &ThingFilter{store: s}
		})},
	})
	made = 100
	got := found(t, p, provider.ListResourceRequest{Config: filter(nil)})
	if len(got) != 2 || !strings.Contains(got[0], "The method ListResource of test_thing panicked") {
		t.Errorf("got %q", got)
	}
}

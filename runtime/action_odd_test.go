package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// reporter reports from several goroutines, one of which continues after Invoke has returned.
type reporter struct {
	late *sync.WaitGroup
}

func (c *reporter) Invoke(_ context.Context, _ runtime.NoConfig, report func(string)) error {
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 8 {
				report(fmt.Sprintf("%d.%d", i, j))
			}
		})
	}
	wg.Wait()
	c.late.Go(func() {
		for range 100 {
			report("late")
		}
	})
	return nil
}

func TestReportFromManyGoroutines(t *testing.T) {
	t.Parallel()
	var late sync.WaitGroup
	p := newProvider(t, runtime.Definition{Name: "test", Actions: map[string]runtime.ActionRegistration{
		"reporter": runtime.MakeActionWith[reporter, runtime.NoConfig](func() *reporter { return &reporter{late: &late} }),
	}})
	next := map[string]int{}
	received, completed := 0, 0
	for e := range p.InvokeAction(t.Context(), provider.InvokeActionRequest{ActionType: "test_reporter"}).Events {
		switch e := e.(type) {
		case provider.ActionProgress:
			if completed > 0 {
				t.Errorf("message %q after ActionCompleted, want none", e.Message)
			}
			if e.Message == "late" {
				continue // sent before the end of Invoke was detected
			}
			goroutine, number, _ := strings.Cut(e.Message, ".")
			if want := fmt.Sprint(next[goroutine]); number != want {
				t.Errorf("goroutine %s: got message %s, want %s", goroutine, number, want)
			}
			next[goroutine]++
			received++
		case provider.ActionCompleted:
			completed++
		}
	}
	if received != 64 || completed != 1 {
		t.Errorf("%d messages and %d completions, want 64 and 1", received, completed)
	}
	late.Wait() // late reports do not block
}

// panickingAction has a check that panics.
type panickingAction struct {
	doer
	A *string
}

func (*panickingAction) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Check("a", "must not be touched", func(string) error {
		var empty map[string]*Bell
		_ = empty[""].Name
		return nil
	})}
}

func TestPanicsOfActionsAreRecovered(t *testing.T) {
	t.Parallel()
	made := 0
	p := newProvider(t, runtime.Definition{Name: "test", Actions: map[string]runtime.ActionRegistration{
		"ring": runtime.MakeActionWith[panickingAction, runtime.NoConfig](func() *panickingAction {
			if made++; made > 100 {
				var empty map[string]*Bell
				_ = empty[""].Name
			}
			return &panickingAction{}
		}),
	}})
	touched, untouched := cty.ObjectVal(attrs{"a": str("x")}), cty.ObjectVal(attrs{"a": cty.NullVal(cty.String)})
	want := []string{fmt.Sprintf(crash, "Check"), "no action"}
	if got := events(t, p, touched); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	made = 100
	want = []string{fmt.Sprintf(crash, "InvokeAction"), "no action"}
	if got := events(t, p, untouched); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	plan := p.PlanAction(t.Context(), provider.PlanActionRequest{ActionType: "test_ring", Config: untouched})
	if got, want := worded(plan.Diagnostics), []string{fmt.Sprintf(crash, "PlanAction")}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

type exiting struct{}

func (*exiting) Invoke(context.Context, runtime.NoConfig, func(string)) error {
	goruntime.Goexit()
	return nil
}

func TestActionWhoseGoroutineEnds(t *testing.T) {
	t.Parallel()
	p := newProvider(t, runtime.Definition{Name: "test", Actions: map[string]runtime.ActionRegistration{
		"ring": runtime.MakeAction[exiting, runtime.NoConfig](),
	}})
	want := []string{"completed; error: Cannot invoke test_ring: provider bug: the method Invoke ended its goroutine instead of returning; please report this"}
	if got := events(t, p, cty.EmptyObjectVal); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

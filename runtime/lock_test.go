package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// Shelf is a resource whose operations share racks.
type Shelf struct {
	Name     string
	Racks    []string `tf:",optional"`
	Timeouts *runtime.Timeouts

	w *shelves
}

type ShelfOutput struct{ Name string }

type shelves struct {
	do func(ctx context.Context, s *Shelf, method string) error

	panics bool
	inside sync.Map // by rack, an *atomic.Int32
	worst  atomic.Int32
}

func (*Shelf) SchemaVersion() int      { return 0 }
func (*Shelf) ReplaceFields() []string { return []string{"name"} }

func (s *Shelf) Locks(runtime.NoConfig) []string {
	if s.w.panics {
		panic("no racks")
	}
	return s.Racks
}

func (s *Shelf) run(ctx context.Context, method string) (*ShelfOutput, error) {
	if method != "Read" {
		var leave []func()
		for _, rack := range s.Racks {
			leave = append(leave, s.w.enter(rack))
		}
		defer func() {
			for _, f := range leave {
				f()
			}
		}()
	}
	if s.w.do != nil {
		if err := s.w.do(ctx, s, method); err != nil {
			return nil, err
		}
	}
	return &ShelfOutput{Name: s.Name}, nil
}

// enter counts an operation in a rack until leave is called, and records the largest number of operations
// in a rack at the same time.
func (w *shelves) enter(rack string) (leave func()) {
	v, _ := w.inside.LoadOrStore(rack, new(atomic.Int32))
	n := v.(*atomic.Int32)
	for now := n.Add(1); ; {
		worst := w.worst.Load()
		if now <= worst || w.worst.CompareAndSwap(worst, now) {
			break
		}
	}
	return func() { n.Add(-1) }
}

func (s *Shelf) Create(ctx context.Context, _ runtime.NoConfig) (*ShelfOutput, error) {
	return s.run(ctx, "Create")
}

func (s *Shelf) Read(ctx context.Context, _ runtime.NoConfig, _ *ShelfOutput) (*ShelfOutput, error) {
	return s.run(ctx, "Read")
}

func (s *Shelf) Update(ctx context.Context, _ runtime.NoConfig, _ runtime.Prior[Shelf, *ShelfOutput]) (*ShelfOutput, error) {
	return s.run(ctx, "Update")
}

func (s *Shelf) Delete(ctx context.Context, _ runtime.NoConfig, _ *ShelfOutput) error {
	_, err := s.run(ctx, "Delete")
	return err
}

func (w *shelves) provider(t *testing.T) provider.Interface {
	t.Helper()
	return newProvider(t, runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"shelf": runtime.MakeResourceWith[Shelf, *ShelfOutput, runtime.NoConfig](func() *Shelf { return &Shelf{w: w} }),
	}})
}

func (d *driver) shelf(name string, racks ...string) cty.Value {
	a := attrs{"name": str(name)}
	if len(racks) > 0 {
		var list []cty.Value
		for _, r := range racks {
			list = append(list, str(r))
		}
		a["racks"] = cty.ListVal(list)
	}
	return d.config(a)
}

// inBackground plans and starts an apply, and returns when the apply blocks or has ended. It
// is for tests with a fake clock.
func (d *driver) inBackground(config cty.Value) {
	plan := d.plan(config)
	go func() {
		if diags := d.applyPlan(config, plan); diags.HasErrors() {
			d.t.Error(diags)
		}
	}()
	synctest.Wait()
}

// elapse advances the fake clock, and returns when all other goroutines are blocked again.
func elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// TestLocksExclude checks that no two operations hold the same lock at once, in whatever
// order they name the locks, and that no operation waits forever.
func TestLocksExclude(t *testing.T) {
	t.Parallel()
	const operations = 300
	w := &shelves{}
	w.do = func(ctx context.Context, s *Shelf, _ string) error {
		goruntime.Gosched()
		unlock, err := runtime.Lock(ctx, "a part", s.Racks[0]) // the second name is locked already
		if err != nil {
			return err
		}
		defer unlock()
		defer w.enter("a part")()
		return nil
	}
	p := w.provider(t)
	var running sync.WaitGroup
	for i := range operations {
		d := newDriver(t, p, "test_shelf")
		racks := []string{fmt.Sprint("rack ", i%3), fmt.Sprint("rack ", (i+1+i%2)%3)}
		running.Go(func() {
			d.apply(d.shelf(fmt.Sprint(i), racks...))
			d.apply(d.shelf(fmt.Sprint(i), racks[1], racks[0]))
			d.destroy()
		})
	}
	running.Wait()
	if worst := w.worst.Load(); worst != 1 {
		t.Errorf("%d operations held the same lock at once, want 1", worst)
	}
}

// TestUpdateLocksPriorAndNewNames checks that an update locks the names of both the
// prior and the new inputs.
func TestUpdateLocksPriorAndNewNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &shelves{}
		p := w.provider(t)
		mover, other := newDriver(t, p, "test_shelf"), newDriver(t, p, "test_shelf")
		mover.apply(mover.shelf("m", "old"))
		w.do = func(_ context.Context, s *Shelf, method string) error {
			if s.Name == "m" && method == "Update" {
				time.Sleep(time.Minute)
			}
			return nil
		}
		for i, contested := range []string{"old", "new"} {
			if i == 1 {
				mover.apply(mover.shelf("m", "old"))
			}
			mover.inBackground(mover.shelf("m", "new"))
			start := time.Now()
			other.apply(other.shelf("o", contested))
			if waited := time.Since(start); waited != time.Minute {
				t.Errorf("waited %s for the %s rack, want 1m", waited, contested)
			}
			synctest.Wait()
		}
		// Plans and reads take no locks.
		mover.inBackground(mover.shelf("m", "old"))
		start := time.Now()
		if diags := other.refresh(); diags.HasErrors() {
			t.Error(diags)
		}
		other.plan(other.shelf("o", "old"))
		if waited := time.Since(start); waited != 0 {
			t.Errorf("a read and a plan waited %s, want no wait", waited)
		}
		elapse(time.Hour)
	})
}

func TestLocksAreFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &shelves{}
		var order []string
		w.do = func(_ context.Context, s *Shelf, _ string) error {
			order = append(order, s.Name) // while holding the lock
			time.Sleep(time.Second)
			return nil
		}
		p := w.provider(t)
		var want []string
		for i := range 50 {
			name := fmt.Sprint(i)
			want = append(want, name)
			d := newDriver(t, p, "test_shelf")
			d.inBackground(d.shelf(name, "rack"))
		}
		elapse(time.Hour)
		if diff := cmp.Diff(want, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

// TestEndOfAWait checks that a wait ends at the timeout, at Stop and when the client cancels
// the request, and that the error names the lock.
func TestEndOfAWait(t *testing.T) {
	t.Parallel()
	const canceled = `waited 10s for the lock "rack", held by test_shelf Create: context canceled`
	for name, tt := range map[string]struct {
		timeout string
		end     func(p provider.Interface, cancel func())
		want    []string
	}{
		"timeout": {"90s", nil, []string{"Creating test_shelf took too long", `waited 1m30s for the lock "rack", held by test_shelf Create: the timeout of 1m30s has passed`}},
		"stop":    {"", func(p provider.Interface, _ func()) { _ = p.Stop(context.Background()) }, []string{canceled}},
		"client":  {"", func(_ provider.Interface, cancel func()) { cancel() }, []string{canceled}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &shelves{}
				w.do = func(_ context.Context, s *Shelf, _ string) error {
					if s.Name == "holder" {
						elapse(time.Hour)
					}
					return nil
				}
				p := w.provider(t)
				holder := newDriver(t, p, "test_shelf")
				holder.inBackground(holder.shelf("holder", "rack"))

				var log bytes.Buffer
				ctx, cancel := context.WithCancel(tflogtest.RootLogger(t.Context(), &log))
				d := newDriver(t, loggingTo{p, ctx}, "test_shelf")
				config := d.shelf("waiter", "rack", "another")
				if tt.timeout != "" {
					config = d.config(attrs{"name": str("waiter"), "racks": config.GetAttr("racks"), "timeouts": timeouts(map[string]string{"create": tt.timeout})})
				}
				if tt.end != nil {
					time.AfterFunc(10*time.Second, func() { tt.end(p, cancel) })
				}
				diags := d.applyPlan(config, d.plan(config))
				cancel()
				if !d.state.IsNull() {
					t.Error("the object was created without its locks")
				}
				for _, want := range tt.want {
					if !strings.Contains(diags.Error(), want) {
						t.Errorf("diagnostics do not contain %q: %v", want, diags)
					}
				}
				if lines := logLines(t, &log); len(lines) == 0 || lines[0]["@message"] != "waiting for a lock" || lines[0]["holder"] != "test_shelf Create" {
					t.Errorf("the log has %v, want a first line about waiting for a lock that test_shelf Create holds", lines)
				}
				// The names that the waiter had locked are free again, and the waiter is no longer
				// in the queue.
				next := newDriver(t, p, "test_shelf")
				next.apply(next.shelf("next", "another"))
				elapse(2 * time.Hour)
				next.apply(next.shelf("next", "rack"))
			})
		})
	}
}

func TestLockInsideAnOperation(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		do   func(ctx context.Context) error
		want string // substring of the error
	}{
		"several names": {func(ctx context.Context) error {
			unlock, err := runtime.Lock(ctx, "b", "a", "b")
			unlock()
			unlock()
			return err
		}, ""},
		"name that the operation holds already": {func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			unlock, _ := runtime.Lock(ctx, "b")
			defer unlock()
			_, err := runtime.Lock(ctx, "b", "a")
			if !errors.Is(err, context.DeadlineExceeded) {
				return errors.Join(err, errors.New("want a timeout"))
			}
			// The names that the failed call had locked are free again.
			if _, again := runtime.Lock(context.WithoutCancel(ctx), "a"); again != nil {
				return again
			}
			return err
		}, `waited 1m0s for the lock "b", held by test_shelf Create: context deadline exceeded`},
		"name that Locks returned": {func(ctx context.Context) error {
			unlock, err := runtime.Lock(ctx, "rack")
			unlock()
			return err
		}, ""},
		"names that are not released": {func(ctx context.Context) error {
			_, err := runtime.Lock(ctx, "a", "b")
			return err
		}, ""},
		"granted while the wait times out": {func(ctx context.Context) error {
			for range 300 {
				unlock, err := runtime.Lock(ctx, "a")
				if err != nil {
					return err
				}
				done := make(chan struct{})
				go func() {
					defer close(done)
					short, cancel := context.WithTimeout(ctx, time.Second)
					defer cancel()
					if unlock, err := runtime.Lock(short, "a"); err == nil {
						unlock()
					}
				}()
				time.Sleep(time.Second)
				unlock()
				<-done
			}
			return nil
		}, ""},
		"Lock after the end of the operation": {func(ctx context.Context) error {
			go func() {
				time.Sleep(time.Minute)
				if _, err := runtime.Lock(ctx, "a"); err == nil {
					panic("locked for an operation that has ended")
				}
			}()
			return nil
		}, ""},
		"granted after the end of the operation": {func(ctx context.Context) error {
			_, err := runtime.Lock(ctx, "a")
			go func() {
				// This call still waits when the operation ends and the lock becomes free.
				if _, err := runtime.Lock(context.WithoutCancel(ctx), "a"); err == nil {
					panic("locked for an operation that has ended")
				}
			}()
			time.Sleep(time.Second)
			return err
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &shelves{do: func(ctx context.Context, _ *Shelf, _ string) error { return tt.do(ctx) }}
				p := w.provider(t)
				d := newDriver(t, p, "test_shelf")
				config := d.shelf("it", "rack")
				diags := d.applyPlan(config, d.plan(config))
				if !strings.Contains(diags.Error(), tt.want) || tt.want == "" && diags.HasErrors() {
					t.Errorf("got %v, want %q", diags, tt.want)
				}
				elapse(time.Hour)
				w.do = func(ctx context.Context, _ *Shelf, _ string) error {
					ctx, cancel := context.WithTimeout(ctx, time.Minute)
					defer cancel()
					unlock, err := runtime.Lock(ctx, "a", "b")
					if err == nil {
						unlock()
					}
					return err
				}
				next := newDriver(t, p, "test_shelf")
				next.apply(next.shelf("next", "rack"))
			})
		})
	}
}

// TestLateUnlock checks that a lock that an operation did not release is logged, and
// that unlocking it later does not take it from the next holder.
func TestLateUnlock(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	w := &shelves{}
	p := loggingTo{w.provider(t), tflogtest.RootLogger(t.Context(), &log)}
	first, second, third := newDriver(t, p, "test_shelf"), newDriver(t, p, "test_shelf"), newDriver(t, p, "test_shelf")
	first.apply(first.shelf("orderly", "rack"))
	if log.Len() > 0 {
		t.Errorf("the log has a line about an operation that released its locks: %s", log.String())
	}
	var late func()
	w.do = func(ctx context.Context, _ *Shelf, _ string) (err error) {
		late, err = runtime.Lock(ctx, "a")
		return err
	}
	first = newDriver(t, p, "test_shelf")
	first.apply(first.shelf("forgetful"))
	if lines := logLines(t, &log); len(lines) != 1 || fmt.Sprint(lines[0]["locks"]) != "[a]" {
		t.Errorf("the log has %v, want one line about the lock a", lines)
	}
	w.do = func(ctx context.Context, _ *Shelf, _ string) error {
		unlock, err := runtime.Lock(ctx, "a")
		if err != nil {
			return err
		}
		defer unlock()
		late()
		w.do = func(ctx context.Context, _ *Shelf, _ string) error {
			ctx, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			_, err := runtime.Lock(ctx, "a")
			return err
		}
		config := third.shelf("third")
		if diags := third.applyPlan(config, third.plan(config)); !strings.Contains(diags.Error(), `the lock "a", held by test_shelf Create`) {
			t.Errorf("Create while the lock is held: %v, want an error with its holder", diags)
		}
		return nil
	}
	second.apply(second.shelf("second"))
}

func TestPanicOfLocks(t *testing.T) {
	t.Parallel()
	w := &shelves{panics: true}
	d := newDriver(t, w.provider(t), "test_shelf")
	config := d.shelf("a", "rack")
	if diags := d.applyPlan(config, d.plan(config)); !strings.Contains(diags.Error(), "The method Locks of test_shelf panicked") {
		t.Errorf("got %v", diags)
	}
	w.panics = false
	w.do = func(context.Context, *Shelf, string) error { panic("with the lock") }
	if diags := d.applyPlan(config, d.plan(config)); !diags.HasErrors() {
		t.Error("no error")
	}
	w.do = nil
	d.apply(config)
}

func TestLockOutsideOfACall(t *testing.T) {
	t.Parallel()
	for range 2 { // the second call does not wait for the first
		if _, err := runtime.Lock(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkLock(b *testing.B) {
	w := &shelves{do: func(ctx context.Context, _ *Shelf, _ string) error {
		for b.Loop() {
			unlock, err := runtime.Lock(ctx, "a")
			if err != nil {
				return err
			}
			unlock()
		}
		return nil
	}}
	p, err := runtime.New(runtime.Definition{Name: "test", Resources: map[string]runtime.ResourceRegistration{
		"shelf": runtime.MakeResourceWith[Shelf, *ShelfOutput, runtime.NoConfig](func() *Shelf { return &Shelf{w: w} }),
	}})
	if err != nil {
		b.Fatal(err)
	}
	ty := p.GetProviderSchema(b.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes["test_shelf"].Body
	planned := ty.EmptyValue().AsValueMap()
	planned["name"] = str("a")
	b.ReportAllocs()
	if resp := p.ApplyResourceChange(b.Context(), provider.ApplyResourceChangeRequest{
		TypeName: "test_shelf", PriorState: cty.NullVal(ty.ImpliedType()), PlannedState: cty.ObjectVal(planned), Config: cty.ObjectVal(planned),
	}); resp.Diagnostics.HasErrors() {
		b.Fatal(resp.Diagnostics)
	}
}

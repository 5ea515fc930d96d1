package guard_test

import (
	"bytes"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// endless returns an endless stream. It counts in asked the parts that it creates. A stubborn
// stream continues after yield has returned false.
func endless[E any](asked *int, stubborn bool, make func(i int) E) iter.Seq[E] {
	return func(yield func(E) bool) {
		for i := 0; ; i++ {
			if *asked++; !yield(make(i)) && !stubborn {
				return
			}
		}
	}
}

func number(i int) string { return string(rune('a' + i)) }

// streams returns an endless stream of each kind that a provider returns, with a function that receives
// its parts until more returns false, or until a result of the search has a diagnostic.
func streams(asked *int, stubborn bool) map[string]struct {
	wrong mutant
	take  func(*testing.T, provider.Interface, world, func() bool)
} {
	return map[string]struct {
		wrong mutant
		take  func(*testing.T, provider.Interface, world, func() bool)
	}{
		"search": {
			wrong: mutant{list: func(r *provider.ListResourceResponse) {
				r.Results = endless(asked, stubborn, func(i int) provider.ListResult { return listed("/"+number(i), true) })
			}},
			take: func(t *testing.T, p provider.Interface, w world, more func() bool) {
				w.list.Limit = 0
				for r := range p.ListResource(t.Context(), w.list).Results {
					if !more() || r.Diagnostics != nil {
						return
					}
				}
			},
		},
		"action": {
			wrong: mutant{invoke: func(r *provider.InvokeActionResponse) {
				r.Events = endless(asked, stubborn, func(i int) provider.ActionEvent { return provider.ActionProgress{Message: number(i)} })
			}},
			take: func(t *testing.T, p provider.Interface, w world, more func() bool) {
				for range p.InvokeAction(t.Context(), w.invoke).Events {
					if !more() {
						return
					}
				}
			},
		},
		"state": {
			wrong: mutant{readBytes: func(r *provider.ReadStateBytesResponse) {
				r.Chunks = endless(asked, stubborn, func(i int) provider.StateChunk {
					return provider.StateChunk{Bytes: []byte{'x'}, TotalLength: 99, Start: int64(i), End: int64(i)}
				})
			}},
			take: func(t *testing.T, p provider.Interface, w world, more func() bool) {
				for range p.ReadStateBytes(t.Context(), w.readBytes).Chunks {
					if !more() {
						return
					}
				}
			},
		},
	}
}

// TestReceiverStopsStream checks that no more parts are requested from the provider after the
// receiver stops. If the provider continues, the resulting panic is recovered and logged.
func TestReceiverStopsStream(t *testing.T) {
	t.Parallel()
	for _, stubborn := range []bool{false, true} {
		asked := 0
		for name, s := range streams(&asked, stubborn) {
			asked = 0
			var log bytes.Buffer
			wrong := s.wrong
			wrong.Interface = fake{}
			taken := 0
			p := guard.Wrap(&wrong, guard.LogPanics(slog.New(slog.NewTextHandler(&log, nil))))
			s.take(t, p, newWorld(t, fake{}, "fake_thing"), func() bool { taken++; return taken < 3 })
			want := 3
			if stubborn {
				want = 4 // the panic stops the provider after one more part
			}
			if asked != want || taken != 3 {
				t.Errorf("%s (stubborn: %v): the provider created %d parts, the receiver got %d, want %d and 3", name, stubborn, asked, taken, want)
			}
			if logged := strings.Contains(log.String(), "PANIC-001"); logged != stubborn {
				t.Errorf("%s (stubborn: %v): the log has PANIC-001: %v, want %v", name, stubborn, logged, stubborn)
			}
		}
	}
}

// TestReceiverPanics checks that panics of the receiver reach the caller.
func TestReceiverPanics(t *testing.T) {
	t.Parallel()
	asked := 0
	for name, s := range streams(&asked, false) {
		func() {
			defer func() {
				if cause := recover(); cause != "mine" {
					t.Errorf("%s: recovered %v, want mine", name, cause)
				}
			}()
			wrong := s.wrong
			wrong.Interface = fake{}
			s.take(t, guard.Wrap(&wrong), newWorld(t, fake{}, "fake_thing"), func() bool { panic("mine") })
		}()
	}
}

// TestInvalidListResults checks that invalid results keep only their names and diagnostics,
// and that other results also keep their identity and object.
func TestInvalidListResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	good, bad := listed("/a", true), listed("/b", true)
	bad.Identity = set(bad.Identity, "host", cty.UnknownVal(cty.String))
	bad.Diagnostics = diag.Diagnostics{}.Warnf(nil, "slow", "")
	asked := 0
	wrong := mutant{Interface: fake{}, list: func(r *provider.ListResourceResponse) {
		r.Results = each(slices.Values([]provider.ListResult{bad, good, listed("/c", true), listed("/d", true)}), func(*provider.ListResult) { asked++ })
	}}
	got := slices.Collect(guard.Wrap(&wrong).ListResource(t.Context(), w.list).Results)
	type left struct {
		Name             string
		Identity, Object bool
		Rules            []string
	}
	var saw []left
	for _, r := range got {
		saw = append(saw, left{r.DisplayName, r.Identity != cty.NilVal, r.ResourceObject != cty.NilVal, brokenRules(r.Diagnostics)})
	}
	want := []left{
		{"/b", false, false, []string{"LIST-002", "slow"}},
		{"/a", true, true, nil},
		{"/c", false, false, []string{"LIST-011"}}, // two were requested
	}
	if diff := cmp.Diff(want, saw); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if asked != 3 {
		t.Errorf("the list continued to %d results, want 3", asked)
	}
	for _, m := range got[0].Diagnostics {
		if len(m.Path) > 0 {
			t.Errorf("the path %#v is not in the list block, want no path", m.Path)
		}
	}
}

// TestManyWrongResults checks that each wrong result gets its own error, however many there
// are, and that each warning is given once.
func TestManyWrongResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	w.list.Limit = 0
	var all, nameless []provider.ListResult
	for range 50 {
		all = append(all, provider.ListResult{DisplayName: "a", ResourceObject: listed("/a", true).ResourceObject})
	}
	for i := range 50 {
		r := listed("/"+number(i), false)
		r.DisplayName = ""
		nameless = append(nameless, r)
	}
	wrong := results(all...)
	wrong.Interface = fake{}
	if n := len(list(t, guard.Wrap(&wrong), w)); n != 50 {
		t.Errorf("%d errors for 50 wrong results, want 50", n)
	}
	wrong = results(nameless...)
	wrong.Interface = fake{}
	if n := len(list(t, guard.Wrap(&wrong), w)); n != 2 {
		t.Errorf("%d warnings for 50 results with neither a name nor an object, want 2", n)
	}
}

// TestActionsAlwaysComplete checks that an action completes exactly once, at the end,
// and that progress is not delayed.
func TestActionsAlwaysComplete(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	half, end := provider.ActionProgress{Message: "half way"}, provider.ActionCompleted{}
	failed := provider.ActionCompleted{Diagnostics: diag.Diagnostics{}.Errorf(nil, "lost", "")}
	for name, tt := range map[string]struct {
		events []provider.ActionEvent
		want   []string
	}{
		"correct":                         {[]provider.ActionEvent{half, end}, []string{"half way", "completed: []"}},
		"failed":                          {[]provider.ActionEvent{half, failed}, []string{"half way", "completed: [lost]"}},
		"without completion":              {[]provider.ActionEvent{half}, []string{"half way", "completed: [ACTION-003]"}},
		"without events":                  {nil, []string{"completed: [ACTION-003]"}},
		"after completion":                {[]provider.ActionEvent{failed, half, half}, []string{"completed: [ACTION-004 lost]"}},
		"unknown type":                    {[]provider.ActionEvent{nil, half, end}, []string{"half way", "completed: [ACTION-005]"}},
		"unknown type without completion": {[]provider.ActionEvent{nil}, []string{"completed: [ACTION-003 ACTION-005]"}},
	} {
		wrong := events(tt.events...)
		wrong.Interface = fake{}
		var got []string
		for e := range guard.Wrap(&wrong).InvokeAction(t.Context(), w.invoke).Events {
			got = append(got, eventText(t, e))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	wrong := events(half)
	wrong.Interface = fake{}
	start := wrong.invoke
	wrong.invoke = func(r *provider.InvokeActionResponse) { start(r); r.Diagnostics = failed.Diagnostics }
	if diff := cmp.Diff([]string{"lost"}, brokenRules(invoke(t, guard.Wrap(&wrong), w))); diff != "" {
		t.Errorf("action that fails to begin (-want +got):\n%s", diff)
	}

	received, early := 0, false
	wrong = mutant{Interface: fake{}, invoke: func(r *provider.InvokeActionResponse) {
		r.Events = func(yield func(provider.ActionEvent) bool) {
			yield(half)
			early = received == 1
			yield(end)
		}
	}}
	for range guard.Wrap(&wrong).InvokeAction(t.Context(), w.invoke).Events {
		received++
	}
	if !early {
		t.Error("the receiver did not get the progress before the end of the action")
	}
}

func eventText(t *testing.T, e provider.ActionEvent) string {
	t.Helper()
	switch e := e.(type) {
	case provider.ActionProgress:
		return e.Message
	case provider.ActionCompleted:
		return "completed: [" + strings.Join(brokenRules(e.Diagnostics), " ") + "]"
	}
	t.Errorf("got an event of type %T, want an ActionProgress or ActionCompleted", e)
	return ""
}

// TestGarbledState checks that the chunks of a garbled state end before the bytes
// that would corrupt it.
func TestGarbledState(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	good := chunksOf(storedState + storedState)
	wrong := chunks(good[0], good[2], good[1], good[3])
	wrong.Interface = fake{}
	var texts, rules []string
	for c := range guard.Wrap(&wrong).ReadStateBytes(t.Context(), w.readBytes).Chunks {
		texts, rules = append(texts, string(c.Bytes)), append(rules, brokenRules(c.Diagnostics)...)
	}
	if diff := cmp.Diff([]string{"{sta", ""}, texts); diff != "" {
		t.Errorf("bytes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"STORE-003"}, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// TestStreamsOfUnknownTypes checks that the parts of streams of undeclared types reach the receiver, and
// that a panic in the stream of an undeclared action is reported.
func TestStreamsOfUnknownTypes(t *testing.T) {
	t.Parallel()
	asked := 0
	for name, s := range streams(&asked, false) {
		wrong := s.wrong
		wrong.Interface = fake{}
		w := newWorld(t, fake{}, "fake_thing")
		w.list.TypeName, w.invoke.ActionType, w.readBytes.TypeName = "fake_other", "fake_other", "fake_other"
		taken := 0
		s.take(t, guard.Wrap(&wrong), w, func() bool { taken++; return taken < 3 })
		if taken != 3 {
			t.Errorf("%s: the receiver took %d parts, want 3", name, taken)
		}
	}
	w := newWorld(t, fake{}, "fake_thing")
	w.invoke.ActionType = "fake_other"
	wrong := mutant{Interface: fake{}, invoke: func(r *provider.InvokeActionResponse) {
		r.Events = func(func(provider.ActionEvent) bool) { panic(secret) }
	}}
	if diff := cmp.Diff([]string{"PANIC-001"}, brokenRules(invoke(t, guard.Wrap(&wrong), w))); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

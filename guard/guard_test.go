package guard_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestMessageOfABrokenRule checks a complete message.
func TestMessageOfABrokenRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	wrong := newState("content", cty.NullVal(cty.String))
	wrong.Interface = fake{}
	got := guard.Wrap(&wrong).ApplyResourceChange(t.Context(), w.applyCreate).Diagnostics
	want := diag.Diagnostics{{
		Summary: "Provider bug: fake_thing.content changed after it was planned (APPLY-008)",
		Detail: "fake_thing.content: the value was planned to be known, but now is a null value.\n" +
			"Planned: the string \"hello\". Returned: null.\n\n" +
			"Why it matters: A user approved the known values of the plan, and other resources were computed with them.\n" +
			"To change in the provider: Return the planned value, or plan the attribute to be unknown if it cannot be predicted.",
		Path: cty.GetAttrPath("content"),
	}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(cty.GetAttrStep{})); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// TestManyPlaces checks that a map of 200 invalid elements gets ten messages and one about
// the other elements.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	tags := make(values)
	for i := range 200 {
		tags[fmt.Sprint(i)] = cty.UnknownVal(cty.String)
	}
	w := newWorld(t, fake{}, "fake_thing")
	wrong := wasRead("tags", cty.MapVal(tags))
	wrong.Interface = fake{}
	got := guard.Wrap(&wrong).ReadResource(t.Context(), w.read).Diagnostics
	if len(got) != 11 || !strings.Contains(got[10].Summary, "in more places") {
		t.Errorf("got %d messages, the last with the summary %q, want 11, the last with \"in more places\"", len(got), got[len(got)-1].Summary)
	}
}

// TestProviderErrors checks that responses with errors are checked only for values that
// cannot be decoded or stored.
func TestProviderErrors(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	fail := func(d *diag.Diagnostics) { *d = d.Errorf(nil, "refused", "") }
	wrong := mutant{
		Interface: f,
		upgrade: func(r *provider.UpgradeResourceStateResponse) {
			*r = provider.UpgradeResourceStateResponse{}
			fail(&r.Diagnostics)
		},
		read: func(r *provider.ReadResourceResponse) {
			*r = provider.ReadResourceResponse{Deferred: &provider.Deferred{}}
			fail(&r.Diagnostics)
		},
		plan: func(r *provider.PlanResourceChangeResponse) {
			*r = provider.PlanResourceChangeResponse{Deferred: &provider.Deferred{}}
			fail(&r.Diagnostics)
		},
		apply: func(r *provider.ApplyResourceChangeResponse) {
			r.NewState = set(r.NewState, "content", cty.StringVal("half"))
			fail(&r.Diagnostics)
		},
		imports: func(r *provider.ImportResourceStateResponse) {
			*r = provider.ImportResourceStateResponse{}
			fail(&r.Diagnostics)
		},
		move: func(r *provider.MoveResourceStateResponse) {
			*r = provider.MoveResourceStateResponse{}
			fail(&r.Diagnostics)
		},
	}
	p := guard.Wrap(&wrong)
	for name, got := range map[string]diag.Diagnostics{
		"upgrade": upgrade(t, p, w), "read": read(t, p, w), "plan": planUpdate(t, p, w),
		"create": create(t, p, w), "update": update(t, p, w), "import": importID(t, p, w), "move": move(t, p, w),
	} {
		if diff := cmp.Diff([]string{"refused"}, brokenRules(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	wrong.apply = func(r *provider.ApplyResourceChangeResponse) {
		r.NewState = set(r.NewState, "size", cty.UnknownVal(cty.Number))
		fail(&r.Diagnostics)
	}
	if diff := cmp.Diff([]string{"APPLY-006", "refused"}, brokenRules(update(t, p, w))); diff != "" {
		t.Errorf("unknown with an error (-want +got):\n%s", diff)
	}
}

// TestDeferralIsAllowed checks that a response may be deferred if the client allows deferral;
// the deferred object may be unknown, and needs no identity.
func TestDeferralIsAllowed(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	later := &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	open := cty.UnknownVal(w.read.PriorState.Type())
	p := guard.Wrap(&mutant{
		Interface: f,
		read: func(r *provider.ReadResourceResponse) {
			*r = provider.ReadResourceResponse{Deferred: later, NewState: set(w.read.PriorState, "size", cty.UnknownVal(cty.Number))}
		},
		plan: func(r *provider.PlanResourceChangeResponse) {
			*r = provider.PlanResourceChangeResponse{Deferred: later, PlannedState: open}
		},
		imports: func(r *provider.ImportResourceStateResponse) {
			*r = provider.ImportResourceStateResponse{Deferred: later}
		},
	})
	w.read.ClientCapabilities.DeferralAllowed = true
	w.planUpdate.ClientCapabilities.DeferralAllowed = true
	w.importID.ClientCapabilities.DeferralAllowed = true
	for name, got := range map[string]diag.Diagnostics{
		"read": read(t, p, w), "plan": planUpdate(t, p, w), "import": importID(t, p, w),
	} {
		for _, m := range got {
			t.Errorf("%s: %s", name, m.Error())
		}
	}
}

func TestMutableIdentityMayChange(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	elsewhere := cty.StringVal("elsewhere")
	wrong := mutant{
		Interface: f,
		mutable:   true,
		read:      func(r *provider.ReadResourceResponse) { r.Identity = set(r.Identity, "host", elsewhere) },
		plan: func(r *provider.PlanResourceChangeResponse) {
			r.PlannedIdentity = set(r.PlannedIdentity, "host", elsewhere)
		},
		apply: func(r *provider.ApplyResourceChangeResponse) { r.NewIdentity = set(r.NewIdentity, "host", elsewhere) },
	}
	// The guard also finds MutableIdentity in a wrapped provider.
	p := guard.Wrap(wrapper{&wrong})
	for name, got := range map[string]diag.Diagnostics{
		"read": read(t, p, w), "plan": planUpdate(t, p, w), "update": update(t, p, w),
	} {
		for _, m := range got {
			t.Errorf("%s: %s", name, m.Error())
		}
	}
}

// TestSameIdentity checks that an identity may change only to a different identity of the same object.
func TestSameIdentity(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	renamed := cty.StringVal("renamed")
	m := mutant{
		Interface: f,
		read:      func(r *provider.ReadResourceResponse) { r.Identity = set(r.Identity, "host", renamed) },
		apply:     func(r *provider.ApplyResourceChangeResponse) { r.NewIdentity = set(r.NewIdentity, "host", renamed) },
	}
	p := guard.Wrap(wrapper{&m})
	for _, same := range []bool{true, false} {
		m.same = func(prior, current cty.Value) bool {
			return same && current.GetAttr("host").RawEquals(renamed) && !prior.GetAttr("host").RawEquals(renamed)
		}
		for name, got := range map[string]diag.Diagnostics{"read": read(t, p, w), "update": update(t, p, w)} {
			if got.HasErrors() == same {
				t.Errorf("%s: identities are the same: %t; got diagnostics %v, want an error: %t", name, same, got, !same)
			}
		}
	}
}

type wrapper struct{ provider.Interface }

func (w wrapper) Unwrap() provider.Interface { return w.Interface }

// TestReplacementMayPlanAnotherIdentity checks that a replacement may plan a different
// identity, because it creates a new object.
func TestReplacementMayPlanAnotherIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	p := guard.Wrap(&mutant{Interface: fake{}, plan: func(r *provider.PlanResourceChangeResponse) {
		r.PlannedIdentity = set(r.PlannedIdentity, "path", cty.StringVal("/b"))
	}})
	for _, m := range p.PlanResourceChange(t.Context(), w.planReplace).Diagnostics {
		t.Error(m.Error())
	}

	// The path that requires replacement exists only in the prior object.
	removed := set(w.planUpdate.Config, "tags", cty.MapVal(values{"b": cty.StringVal("2")}))
	p = guard.Wrap(&mutant{Interface: fake{}, plan: func(r *provider.PlanResourceChangeResponse) {
		r.PlannedIdentity = set(r.PlannedIdentity, "path", cty.StringVal("/b"))
		r.RequiresReplace = []cty.Path{cty.GetAttrPath("tags").IndexString("a")}
	}})
	req := changeOf("fake_thing", w.planUpdate.PriorState, removed, nil, w.planUpdate.PriorIdentity)
	for _, m := range p.PlanResourceChange(t.Context(), req).Diagnostics {
		t.Error(m.Error())
	}
}

func TestPrivateDataDroppedOnPurpose(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	p := guard.Wrap(&mutant{
		Interface: f,
		read:      func(r *provider.ReadResourceResponse) { r.Private = []byte{} },
		plan:      func(r *provider.PlanResourceChangeResponse) { r.PlannedPrivate = []byte{} },
		apply:     func(r *provider.ApplyResourceChangeResponse) { r.Private = []byte{} },
	})
	for name, got := range map[string]diag.Diagnostics{
		"read": read(t, p, w), "plan": planUpdate(t, p, w), "update": update(t, p, w),
	} {
		for _, m := range got {
			t.Errorf("%s: %s", name, m.Error())
		}
	}
}

// counting counts requests for the schema, returns an error for the first one, and stores the last
// plan request.
type counting struct {
	fake
	schemas atomic.Int64
	plan    provider.PlanResourceChangeRequest
}

func (c *counting) GetProviderSchema(ctx context.Context, req provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	resp := c.fake.GetProviderSchema(ctx, req)
	if c.schemas.Add(1) == 1 {
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "not yet", "")
	}
	return resp
}

func (c *counting) PlanResourceChange(ctx context.Context, req provider.PlanResourceChangeRequest) provider.PlanResourceChangeResponse {
	c.plan = req
	return c.fake.PlanResourceChange(ctx, req)
}

func TestSchemaIsRequestedUntilItSucceeds(t *testing.T) {
	t.Parallel()
	c := &counting{}
	p := guard.Wrap(c)
	for i, want := range []bool{true, false, false} {
		resp := p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{})
		if resp.Diagnostics.HasErrors() != want {
			t.Errorf("call %d: errors %v, want %v", i, !want, want)
		}
	}
	if n := c.schemas.Load(); n != 2 {
		t.Errorf("the schema was requested %d times, want 2", n)
	}
}

// flaky panics in the first request for identity schemas.
type flaky struct {
	fake
	requested atomic.Bool
}

func (f *flaky) GetResourceIdentitySchemas(ctx context.Context, req provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	if !f.requested.Swap(true) {
		panic("test panic")
	}
	return f.fake.GetResourceIdentitySchemas(ctx, req)
}

func TestIdentitySchemasAreRequestedUntilTheySucceed(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(&flaky{})
	for i, want := range []bool{true, false} {
		resp := p.GetResourceIdentitySchemas(t.Context(), provider.GetResourceIdentitySchemasRequest{})
		if resp.Diagnostics.HasErrors() != want || (len(resp.IdentityTypes) == 0) != want {
			t.Errorf("call %d: %d types, diagnostics %v, want only errors: %t", i, len(resp.IdentityTypes), resp.Diagnostics, want)
		}
	}
}

func TestCorrectCallIsUnchanged(t *testing.T) {
	t.Parallel()
	c := &counting{}
	w := newWorld(t, fake{}, "fake_thing")
	p := guard.Wrap(c)
	p.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}) // the first request fails
	got := p.PlanResourceChange(t.Context(), w.planUpdate)
	if diff := cmp.Diff(w.planUpdate, c.plan, sameValue); diff != "" {
		t.Errorf("request (-sent +received):\n%s", diff)
	}
	if diff := cmp.Diff(fake{}.PlanResourceChange(t.Context(), w.planUpdate), got, sameValue); diff != "" {
		t.Errorf("response (-provider +guard):\n%s", diff)
	}
	if inner := p.(interface{ Unwrap() provider.Interface }).Unwrap(); inner != provider.Interface(c) {
		t.Errorf("Unwrap returned %T, want the wrapped %T", inner, c)
	}
	c.schemas.Store(0)
	p = guard.Wrap(c)
	// Without a schema, responses are not checked.
	if diff := cmp.Diff(fake{}.PlanResourceChange(t.Context(), w.planUpdate), p.PlanResourceChange(t.Context(), w.planUpdate), sameValue); diff != "" {
		t.Errorf("response without a schema (-provider +guard):\n%s", diff)
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	p := guard.Wrap(fake{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			w := w
			// Each goroutine sends different keys.
			w.read.PriorState = set(w.read.PriorState, "tags", cty.MapVal(values{fmt.Sprint(i): cty.StringVal("x"), "b": cty.StringVal("y")}))
			for range 50 {
				if got := read(t, p, w); got != nil {
					t.Error(got.Error())
				}
			}
		})
	}
	wg.Wait()
}

func TestPanicsAreLoggedWithoutTheirValue(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	p := guard.Wrap(broken{}, guard.LogPanics(slog.New(slog.NewTextHandler(&log, nil))))
	w := newWorld(t, fake{}, "fake_thing")
	got := read(t, p, w)
	if want := "Provider bug: the response of fake_thing to ReadResource is missing: the code panicked (PANIC-001)"; got[0].Summary != want || got.Crash() != diag.Panicked {
		t.Errorf("summary %q and crash %v, want %q and %v", got[0].Summary, got.Crash(), want, diag.Panicked)
	}
	if text := log.String(); !strings.Contains(text, "broken.ReadResource") || strings.Contains(text, secret) {
		t.Errorf("the log lacks the stack, or has the value of the panic:\n%s", text)
	}
}

// TestPathsOfMessages checks that messages have paths that clients can find in the configuration.
func TestPathsOfMessages(t *testing.T) {
	t.Parallel()
	f := fake{private: []byte("mine")}
	w := newWorld(t, f, "fake_thing")
	open := cty.SetVal([]cty.Value{cty.ObjectVal(values{"name": cty.UnknownVal(cty.String), "key": hidden})})
	tests := []struct {
		name    string
		wrong   mutant
		summary string
		path    cty.Path
	}{
		{"list", wasRead("words", cty.ListVal([]cty.Value{cty.UnknownVal(cty.String)})), "fake_thing.words[0] is", cty.GetAttrPath("words").IndexInt(0)},
		{"map", wasRead("tags", cty.MapVal(values{"a": cty.UnknownVal(cty.String)})), `fake_thing.tags["a"] is`, cty.GetAttrPath("tags").IndexString("a")},
		{"sensitive map", wasRead("secrets", cty.MapVal(values{"a": cty.UnknownVal(cty.String)})), "fake_thing.secrets is", cty.GetAttrPath("secrets")},
		{"set", wasRead("keys", open), "fake_thing.keys[*].name is", cty.GetAttrPath("keys")},
		{"identity", reading(func(r *provider.ReadResourceResponse) {
			r.Identity = set(r.Identity, "path", cty.UnknownVal(cty.String))
		}), "path in the identity of fake_thing is", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wrong := tt.wrong
			wrong.Interface = f
			got := read(t, guard.Wrap(&wrong), w)
			if len(got) != 1 || !strings.HasPrefix(got[0].Summary, "Provider bug: "+tt.summary) || !got[0].Path.Equals(tt.path) {
				t.Errorf("got %#v, want summary %q and path %#v", got, tt.summary, tt.path)
			}
		})
	}
}

// TestDiagnosticsOfProvider checks that a diagnostic of the provider is accepted if values can have its path.
func TestDiagnosticsOfProvider(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	key := cty.ObjectVal(values{"name": cty.StringVal("n"), "key": hidden})
	for _, path := range []cty.Path{
		nil,
		cty.GetAttrPath("path"),
		cty.GetAttrPath("words").IndexInt(7),
		cty.GetAttrPath("tags").IndexString("a"),
		cty.GetAttrPath("settings").GetAttr("pin"),
		cty.GetAttrPath("keys").Index(key).GetAttr("name"),
		cty.GetAttrPath("rule").IndexInt(0).GetAttr("note"),
	} {
		wrong := message(diag.Diagnostic{Summary: "x", Path: path})
		wrong.Interface = fake{}
		if got := brokenRules(validate(t, guard.Wrap(&wrong), w)); !slices.Equal(got, []string{"x"}) {
			t.Errorf("%s: got diagnostics %q, want only x", diag.FormatPath(path), got)
		}
	}
}

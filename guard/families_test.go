package guard_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/guard"
	"github.com/posixform/terraform-provider-posix/provider"
)

// TestCorrectFamilies checks that correct responses, including unusual ones, get no
// diagnostics.
func TestCorrectFamilies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	later := &provider.Deferred{Reason: provider.DeferredReasonProviderConfigUnknown}
	unknown := cty.UnknownVal(w.readData.Config.Type())
	withWarning := diag.Diagnostics{}.Warnf(nil, "slow", "")
	mute := func(call func(*testing.T, provider.Interface, world) diag.Diagnostics) func(*testing.T, provider.Interface, world) diag.Diagnostics {
		return func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			return slices.DeleteFunc(call(t, p, w), func(m diag.Diagnostic) bool { return m.Summary == "slow" })
		}
	}
	for name, c := range map[string]struct {
		call  func(*testing.T, provider.Interface, world) diag.Diagnostics
		wrong mutant
	}{
		"data":                 {call: readData},
		"data deferred":        {call: readDataDeferrable, wrong: readingData(func(r *provider.ReadDataSourceResponse) { r.State, r.Deferred = unknown, later })},
		"no data, deferred":    {call: readDataDeferrable, wrong: readingData(func(r *provider.ReadDataSourceResponse) { r.State, r.Deferred = cty.NilVal, later })},
		"ephemeral":            {call: open},
		"ephemeral deferred":   {call: openDeferrable, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.Result, r.Deferred = unknown, later })},
		"no renewal":           {call: open, wrong: opening(func(r *provider.OpenEphemeralResourceResponse) { r.RenewAt = time.Time{} })},
		"renewal":              {call: renew},
		"last renewal":         {call: renew, wrong: renewing(func(r *provider.RenewEphemeralResourceResponse) { r.Private, r.RenewAt = []byte{}, time.Time{} })},
		"function":             {call: callTwice},
		"null result":          {call: callTwice, wrong: result(cty.NullVal(cty.String))},
		"any null":             {call: callWith("same", cty.NullVal(cty.DynamicPseudoType))},
		"unknown argument":     {call: callWith("same", cty.UnknownVal(cty.String))},
		"partly unknown":       {call: callWith("count", cty.TupleVal([]cty.Value{cty.UnknownVal(cty.String)})), wrong: result(cty.UnknownVal(cty.Number))},
		"no arguments":         {call: callWith("count")},
		"list":                 {call: list},
		"list without objects": {call: listWithoutObject},
		"list without limit": {call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.list.Limit = 0
			return list(t, p, w)
		}},
		"list without results":       {call: list, wrong: results()},
		"result with only a warning": {call: mute(list), wrong: results(provider.ListResult{Diagnostics: withWarning}, listed("/a", true), listed("/b", true))},
		"object with warning":        {call: mute(list), wrong: results(provider.ListResult{DisplayName: "a", Identity: listed("/a", false).Identity, Diagnostics: withWarning})},
		"action plan":                {call: planAction},
		"action deferred": {call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.planAction.ClientCapabilities.DeferralAllowed = true
			return planAction(t, p, w)
		}, wrong: deferring(provider.DeferredReasonProviderConfigUnknown)},
		"action":                    {call: invoke},
		"state":                     {call: readBytes},
		"no state":                  {call: readBytes, wrong: chunks()},
		"empty chunk":               {call: readBytes, wrong: chunks(provider.StateChunk{})},
		"chunk with only a warning": {call: mute(readBytes), wrong: chunks(append([]provider.StateChunk{{Diagnostics: withWarning}}, chunksOf(storedState)...)...)},
		"largest chunk":             {call: configureStore, wrong: chunksAre(128 << 20)},
		"write":                     {call: writeBytes},
		"state read up to its length": {call: func(t *testing.T, _ provider.Interface, w world) diag.Diagnostics {
			return writeBytes(t, guard.Wrap(lazy{take: 2}), w)
		}},
		"lock":      {call: lock},
		"states":    {call: getStates},
		"no states": {call: getStates, wrong: mutant{getStates: func(r *provider.GetStatesResponse) { r.StateIDs = nil }}},
		"generate":  {call: generate},
		"generate from null": {call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.generate.State = cty.NullVal(w.generate.State.Type())
			return generate(t, p, w)
		}},
		"generate with write-only value": {call: generate, wrong: generated("token", hidden)},
		"generate with a warning about a required attribute": {call: mute(generate), wrong: mutant{generate: func(r *provider.GenerateResourceConfigResponse) {
			r.Config = set(r.Config, "path", cty.NullVal(cty.String))
			r.Diagnostics = diag.Diagnostics{}.Warnf(cty.GetAttrPath("path"), "slow", "")
		}}},
		"generate with null inside a required attribute": {call: generate, wrong: mutant{
			schema: thing(func(s *provider.Schema) {
				keys := s.Body.Attributes["keys"]
				keys.Required, keys.Optional = true, false
			}).schema,
			generate: generated("keys", cty.SetVal([]cty.Value{cty.NullVal(thingBody().Attributes["keys"].ImpliedType().ElementType())})).generate,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrong := c.wrong
			wrong.Interface = fake{private: []byte("mine")}
			for _, m := range c.call(t, guard.Wrap(&wrong), w) {
				t.Error(m.Error())
			}
		})
	}
}

// TestProviderErrorsOfFamilies checks that responses with errors of the provider get no
// further errors.
func TestProviderErrorsOfFamilies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	refused := diag.Diagnostics{}.Errorf(nil, "refused", "")
	later := &provider.Deferred{}
	p := guard.Wrap(&mutant{
		Interface: fake{},
		readData: func(r *provider.ReadDataSourceResponse) {
			*r = provider.ReadDataSourceResponse{Diagnostics: refused, Deferred: later}
		},
		open: func(r *provider.OpenEphemeralResourceResponse) {
			*r = provider.OpenEphemeralResourceResponse{Diagnostics: refused, Deferred: later}
		},
		renew: func(r *provider.RenewEphemeralResourceResponse) {
			*r = provider.RenewEphemeralResourceResponse{Diagnostics: refused}
		},
		list: func(r *provider.ListResourceResponse) { *r = provider.ListResourceResponse{Diagnostics: refused} },
		planAction: func(r *provider.PlanActionResponse) {
			*r = provider.PlanActionResponse{Diagnostics: refused, Deferred: later}
		},
		invoke: func(r *provider.InvokeActionResponse) { *r = provider.InvokeActionResponse{Diagnostics: refused} },
		configureStore: func(r *provider.ConfigureStateStoreResponse) {
			*r = provider.ConfigureStateStoreResponse{Diagnostics: refused}
		},
		readBytes: func(r *provider.ReadStateBytesResponse) {
			r.Chunks = slices.Values([]provider.StateChunk{chunksOf(storedState)[1], {Diagnostics: refused}}[1:])
		},
		writeBytes: func(r *provider.WriteStateBytesResponse) { r.Diagnostics = refused },
		lock:       func(r *provider.LockStateResponse) { *r = provider.LockStateResponse{Diagnostics: refused} },
		getStates: func(r *provider.GetStatesResponse) {
			*r = provider.GetStatesResponse{StateIDs: []string{""}, Diagnostics: refused}
		},
		generate: func(r *provider.GenerateResourceConfigResponse) {
			*r = provider.GenerateResourceConfigResponse{Diagnostics: refused}
		},
	})
	for name, call := range map[string]func(*testing.T, provider.Interface, world) diag.Diagnostics{
		"data": readData, "open": open, "renew": renew, "list": list, "action plan": planAction, "invoke": invoke,
		"configure": configureStore, "read": readBytes, "write": writeBytes, "lock": lock, "states": getStates, "generate": generate,
	} {
		if diff := cmp.Diff([]string{"refused"}, brokenRules(call(t, p, w))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestInvalidResponsesOfFamilies checks the responses that replace invalid ones. The names
// of states are kept.
func TestInvalidResponsesOfFamilies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	ctx := t.Context()
	wrong := func(m mutant) provider.Interface {
		m.Interface = fake{}
		return guard.Wrap(&m)
	}
	if got := wrong(dataWas("size", cty.True)).ReadDataSource(ctx, w.readData); got.State != cty.NilVal {
		t.Errorf("ReadDataSource: data %#v, want none", got.State)
	}
	if got := wrong(generated("size", cty.True)).GenerateResourceConfig(ctx, w.generate); got.Config != cty.NilVal {
		t.Errorf("GenerateResourceConfig: configuration %#v, want none", got.Config)
	}
	if got := wrong(result(cty.True)).CallFunction(ctx, w.call); got.Result != cty.NilVal {
		t.Errorf("CallFunction: result %#v, want none", got.Result)
	}
	if got := wrong(deferring(provider.DeferredReasonAbsentPrereq)).PlanAction(ctx, w.planAction); got.Deferred != nil {
		t.Errorf("PlanAction: deferral %v, want none", got.Deferred)
	}
	if got := wrong(chunksAre(-1)).ConfigureStateStore(ctx, w.configureStore); got.ChunkSize != 0 {
		t.Errorf("ConfigureStateStore: chunk size %d, want 0", got.ChunkSize)
	}
	invalid := identitySchema(func(_ *int64, body *configschema.Object) { clear(body.Attributes) })
	if got := wrong(invalid).ListResource(ctx, w.list); got.Results != nil {
		t.Error("ListResource: got results of a type with an invalid identity schema, want none")
	}
	twice := mutant{getStates: func(r *provider.GetStatesResponse) { r.StateIDs = []string{"a", "a"} }}
	if got := wrong(twice).GetStates(ctx, w.getStates); len(got.StateIDs) != 2 {
		t.Errorf("GetStates: state IDs %q, want a and a", got.StateIDs)
	}
}

// closer records the calls of CloseEphemeralResource.
type closer struct {
	fake
	mu     sync.Mutex
	closed []string
	answer func(context.Context) provider.CloseEphemeralResourceResponse
}

func (c *closer) CloseEphemeralResource(ctx context.Context, req provider.CloseEphemeralResourceRequest) provider.CloseEphemeralResourceResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = append(c.closed, string(req.Private))
	if c.answer != nil {
		return c.answer(ctx)
	}
	return provider.CloseEphemeralResourceResponse{}
}

// TestRejectedEphemeralIsClosed checks that the guard closes a rejected object once, and closes no
// other object. No engine closes an object that was returned with an error.
func TestRejectedEphemeralIsClosed(t *testing.T) {
	t.Parallel()
	later := &provider.Deferred{Reason: provider.DeferredReasonAbsentPrereq}
	for name, tt := range map[string]struct {
		wrong  mutant
		closed []string
		rules  []string
	}{
		"correct":         {opening(nil), nil, nil},
		"invalid value":   {opened("size", cty.UnknownVal(cty.Number)), []string{"mine"}, []string{"EPH-003"}},
		"invalid renewal": {opening(func(r *provider.OpenEphemeralResourceResponse) { r.RenewAt = time.Now() }), []string{"mine"}, []string{"EPH-006"}},
		"panic in check":  {oddOpening(), []string{"mine"}, []string{"PANIC-002"}},
		"invalid schema": {schema(func(r *provider.GetProviderSchemaResponse) {
			r.EphemeralResourceTypes["fake_lease"] = provider.Schema{}
		}), []string{"mine"}, []string{"SCHEMA-002"}},
		"deferred": {opening(func(r *provider.OpenEphemeralResourceResponse) { r.Deferred = later }), nil, []string{"EPH-001"}},
		"failed": {opening(func(r *provider.OpenEphemeralResourceResponse) {
			r.Private, r.Diagnostics = nil, r.Diagnostics.Errorf(nil, "refused", "")
		}), nil, []string{"refused"}},
		"failed with private data": {opening(func(r *provider.OpenEphemeralResourceResponse) {
			r.Diagnostics = r.Diagnostics.Errorf(nil, "refused", "")
		}), nil, []string{"EPH-007", "refused"}},
		"panicked": {opening(func(*provider.OpenEphemeralResourceResponse) { panic(secret) }), nil, []string{"PANIC-001"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &closer{fake: fake{private: []byte("mine")}}
			wrong := tt.wrong
			wrong.Interface = c
			w := newWorld(t, c.fake, "fake_thing")
			if name == "panic in check" {
				w.open.Config = set(w.open.Config, "odd", oddVal())
			}
			resp := guard.Wrap(&wrong).OpenEphemeralResource(t.Context(), w.open)
			if diff := cmp.Diff(tt.rules, brokenRules(resp.Diagnostics)); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.closed, c.closed); diff != "" {
				t.Errorf("private data of closed objects (-want +got):\n%s", diff)
			}
			if c.closed != nil && (resp.Private != nil || resp.Result != cty.NilVal || !resp.RenewAt.IsZero()) {
				t.Errorf("the response about a closed object has private data %q, result %#v, renewal at %s, want none of them", resp.Private, resp.Result, resp.RenewAt)
			}
		})
	}
}

func oddOpening() mutant {
	m := opened("odd", oddVal())
	m.schema = func(r *provider.GetProviderSchemaResponse) {
		body := dataBody()
		body.Attributes["odd"] = oddAttribute()
		r.EphemeralResourceTypes["fake_lease"] = provider.Schema{Body: body}
	}
	return m
}

// TestCloseOfRejectedEphemeral checks that the guard closes a rejected object even if the call was
// canceled, and returns the diagnostics of the close.
func TestCloseOfRejectedEphemeral(t *testing.T) {
	t.Parallel()
	c := &closer{answer: func(ctx context.Context) (resp provider.CloseEphemeralResourceResponse) {
		if _, limited := ctx.Deadline(); !limited || ctx.Err() != nil {
			resp.Diagnostics = resp.Diagnostics.Errorf(nil, "closed with a wrong context", "")
		}
		resp.Diagnostics = resp.Diagnostics.Errorf(nil, "cannot close", "")
		return resp
	}}
	wrong := opened("size", cty.UnknownVal(cty.Number))
	wrong.Interface = c
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(t, fake{}, "fake_thing")
	got := guard.Wrap(&wrong).OpenEphemeralResource(ctx, w.open).Diagnostics
	if diff := cmp.Diff([]string{"EPH-003", "cannot close"}, brokenRules(got)); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	c.answer = func(context.Context) provider.CloseEphemeralResourceResponse { panic(secret) }
	got = guard.Wrap(&wrong).OpenEphemeralResource(ctx, w.open).Diagnostics
	if diff := cmp.Diff([]string{"EPH-003", "PANIC-001"}, brokenRules(got)); diff != "" {
		t.Errorf("rules if the close panics (-want +got):\n%s", diff)
	}
}

// TestInvalidRenewal checks that the response to an invalid or failed renewal has the
// private data of the request and no next renewal: OpenTofu closes with the private data
// of the last renewal, and uses its time even if it failed.
func TestInvalidRenewal(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*provider.RenewEphemeralResourceResponse){
		"no private data": func(r *provider.RenewEphemeralResourceResponse) { r.Private = nil },
		"failed": func(r *provider.RenewEphemeralResourceResponse) {
			*r = provider.RenewEphemeralResourceResponse{Diagnostics: r.Diagnostics.Errorf(nil, "x", "")}
		},
		"too soon": func(r *provider.RenewEphemeralResourceResponse) { r.RenewAt = time.Now() },
		"panicked": func(*provider.RenewEphemeralResourceResponse) { panic(secret) },
	} {
		w := newWorld(t, fake{}, "fake_thing")
		got := guard.Wrap(&mutant{Interface: fake{}, renew: change}).RenewEphemeralResource(t.Context(), w.renew)
		if string(got.Private) != "mine" || !got.RenewAt.IsZero() || !got.Diagnostics.HasErrors() {
			t.Errorf("%s: private data %q, next renewal %s, messages %v, want mine, zero and an error", name, got.Private, got.RenewAt, got.Diagnostics)
		}
	}
}

func TestMinimumRenewalTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	synctest.Test(t, func(t *testing.T) {
		for ahead, want := range map[time.Duration]bool{time.Second: false, time.Second - 1: true} {
			p := guard.Wrap(&mutant{Interface: fake{}, open: func(r *provider.OpenEphemeralResourceResponse) { r.RenewAt = time.Now().Add(ahead) }})
			if got := open(t, p, w).HasErrors(); got != want {
				t.Errorf("a renewal in %s is rejected: %v, want %v", ahead, got, want)
			}
		}
	})
}

// TestFunctionErrors checks that valid errors of functions are unchanged, that an error keeps
// its text if its argument does not exist, and its argument if the error has no text. It also
// checks that a typed nil error is rejected.
func TestFunctionErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	for name, err := range map[string]error{
		"plain": errors.New("too long"), "argument": &provider.FunctionArgumentError{Index: 0, Err: errors.New("too long")},
	} {
		wrong := failing(err)
		wrong.Interface = fake{}
		if got := guard.Wrap(&wrong).CallFunction(t.Context(), w.call).Err; got != err { //nolint:errorlint // it is the same error
			t.Errorf("%s: got error %v, want %v unchanged", name, got, err)
		}
	}
	wrong := argumentError(7)
	wrong.Interface = fake{}
	err := guard.Wrap(&wrong).CallFunction(t.Context(), w.call).Err
	if argument, ok := errors.AsType[*provider.FunctionArgumentError](err); ok || !strings.HasPrefix(err.Error(), "too long\n") {
		t.Errorf("CallFunction: argument %v, want none; error %v, want too long", argument, err)
	}
	wrong = failing(&provider.FunctionArgumentError{Index: 0, Err: errors.New("")})
	wrong.Interface = fake{}
	err = guard.Wrap(&wrong).CallFunction(t.Context(), w.call).Err
	if argument, ok := errors.AsType[*provider.FunctionArgumentError](err); !ok || argument.Index != 0 || !strings.Contains(err.Error(), "FUNC-006") {
		t.Errorf("CallFunction: error %v, want FUNC-006 for argument 0", err)
	}
	wrong = failing((*provider.FunctionArgumentError)(nil))
	wrong.Interface = fake{}
	if err := guard.Wrap(&wrong).CallFunction(t.Context(), w.call).Err; err == nil || !strings.Contains(err.Error(), "PANIC-002") {
		t.Errorf("typed nil: got error %v, want PANIC-002", err)
	}
}

// TestEqualFunctionResults checks that results with one value in two representations are equal,
// and that calls whose arguments differ, even only in type, are different calls.
func TestEqualFunctionResults(t *testing.T) {
	t.Parallel()
	tenth, _, _ := big.ParseFloat("0.1", 10, 512, big.ToNearestEven)
	wide := new(big.Float).SetPrec(512).SetInt64(3)
	for _, pair := range [][2]cty.Value{
		{cty.NumberVal(tenth), cty.NumberFloatVal(0.1)},
		{cty.NumberVal(wide), cty.NumberIntVal(3)},
		{cty.MapVal(values{"a": cty.True, "b": cty.False}), cty.MapVal(values{"b": cty.False, "a": cty.True})},
	} {
		wrong := impure(pair[0], pair[1])
		wrong.Interface = fake{}
		w := newWorld(t, fake{}, "fake_thing")
		w.call = provider.CallFunctionRequest{FunctionName: "same", Arguments: []cty.Value{cty.True}}
		for _, m := range callTwice(t, guard.Wrap(&wrong), w) {
			t.Errorf("%#v and %#v: %s", pair[0], pair[1], m.Summary)
		}
	}

	kinds := []cty.Value{
		cty.StringVal("1"), cty.NumberIntVal(1), cty.True, cty.False, cty.Zero, cty.StringVal(""), cty.NumberFloatVal(0.5),
		cty.NullVal(cty.String), cty.NullVal(cty.Number), cty.NullVal(cty.DynamicPseudoType),
		cty.ListValEmpty(cty.String), cty.ListValEmpty(cty.Number), cty.SetValEmpty(cty.String), cty.MapValEmpty(cty.String),
		cty.EmptyObjectVal, cty.EmptyTupleVal, cty.NullVal(cty.EmptyObject), cty.ListVal([]cty.Value{cty.NullVal(cty.String)}),
		cty.MustParseNumberVal("9007199254740993"), cty.MustParseNumberVal("9007199254740992"),
		cty.MustParseNumberVal("0.1"), cty.MustParseNumberVal("0.10000000000000000001"),
		cty.TupleVal([]cty.Value{cty.True}), cty.ListVal([]cty.Value{cty.True}), cty.SetVal([]cty.Value{cty.True}),
		cty.ObjectVal(values{"a": cty.True}), cty.MapVal(values{"a": cty.True}), cty.ObjectVal(values{"b": cty.True}),
		cty.MapVal(values{"a": cty.True, "b": cty.False}), cty.MapVal(values{"b": cty.True, "a": cty.False}),
		oddVal(), oddVal(), // cannot be compared
		cty.NullVal(cty.Tuple([]cty.Type{cty.String})), cty.NullVal(cty.Tuple([]cty.Type{cty.Number})),
		cty.NullVal(cty.Object(map[string]cty.Type{"a": cty.String})), cty.NullVal(cty.Object(map[string]cty.Type{"b": cty.String})),
	}
	n := int64(0)
	p := guard.Wrap(&mutant{Interface: fake{}, call: func(r *provider.CallFunctionResponse) {
		n++
		r.Result = cty.NumberIntVal(n)
	}})
	function := "count"
	call := func(args ...cty.Value) {
		req := provider.CallFunctionRequest{FunctionName: function, Arguments: args}
		if err := p.CallFunction(t.Context(), req).Err; err != nil {
			t.Errorf("%#v: %s", args, err)
		}
	}
	call()
	for _, a := range kinds {
		call(a)
		for _, b := range kinds {
			call(a, b)
		}
	}
	null, one := cty.NullVal(cty.List(cty.String)), cty.ListVal([]cty.Value{cty.NullVal(cty.String)})
	function = "count_lists"
	call(null, null)
	call(one)
	call(null)
}

func TestFunctionsHaveSeparateResults(t *testing.T) {
	t.Parallel()
	w := newWorld(t, fake{}, "fake_thing")
	p := guard.Wrap(fake{})
	for _, name := range []string{"shout", "whisper"} {
		w.call.FunctionName = name
		for _, m := range call(t, p, w) {
			t.Errorf("%s: %s", name, m.Error())
		}
	}
}

// TestConcurrentFunctionCalls calls a function concurrently, with different arguments in more
// calls than the guard stores.
func TestConcurrentFunctionCalls(t *testing.T) {
	t.Parallel()
	p := guard.Wrap(fake{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for i := range 4500 {
				req := provider.CallFunctionRequest{FunctionName: "shout", Arguments: []cty.Value{cty.StringVal(fmt.Sprint(i))}}
				if err := p.CallFunction(t.Context(), req).Err; err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

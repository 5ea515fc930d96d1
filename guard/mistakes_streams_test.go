package guard_test

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/provider"
)

// list returns all diagnostics of a list.
func list(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	resp := p.ListResource(t.Context(), w.list)
	messages := resp.Diagnostics
	if resp.Results != nil {
		for r := range resp.Results {
			messages = append(messages, r.Diagnostics...)
		}
	}
	return messages
}

func listWithoutObject(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	w.list.IncludeResourceObject = false
	return list(t, p, w)
}

func planAction(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.PlanAction(t.Context(), w.planAction).Diagnostics
}

func invoke(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	resp := p.InvokeAction(t.Context(), w.invoke)
	messages := resp.Diagnostics
	if resp.Events != nil {
		for e := range resp.Events {
			if end, ok := e.(provider.ActionCompleted); ok {
				messages = append(messages, end.Diagnostics...)
			}
		}
	}
	return messages
}

func configureStore(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.ConfigureStateStore(t.Context(), w.configureStore).Diagnostics
}

// readBytes configures the store first, like a client.
func readBytes(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	messages := configureStore(t, p, w)
	resp := p.ReadStateBytes(t.Context(), w.readBytes)
	messages = append(messages, resp.Diagnostics...)
	if resp.Chunks != nil {
		for c := range resp.Chunks {
			messages = append(messages, c.Diagnostics...)
		}
	}
	return messages
}

func writeBytes(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.WriteStateBytes(t.Context(), w.writeBytes).Diagnostics
}

func lock(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.LockState(t.Context(), w.lock).Diagnostics
}

func getStates(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
	return p.GetStates(t.Context(), w.getStates).Diagnostics
}

// each returns a stream with the parts of seq, changed by change.
func each[E any](seq iter.Seq[E], change func(*E)) iter.Seq[E] {
	return func(yield func(E) bool) {
		for e := range seq {
			if change(&e); !yield(e) {
				return
			}
		}
	}
}

func finding(change func(*provider.ListResult)) mutant {
	return mutant{list: func(r *provider.ListResourceResponse) { r.Results = each(r.Results, change) }}
}

func foundIdentity(name string, v cty.Value) mutant {
	return finding(func(r *provider.ListResult) { r.Identity = set(r.Identity, name, v) })
}

func foundObject(name string, v cty.Value) mutant {
	return finding(func(r *provider.ListResult) {
		if !r.ResourceObject.IsNull() {
			r.ResourceObject = set(r.ResourceObject, name, v)
		}
	})
}

func results(all ...provider.ListResult) mutant {
	return mutant{list: func(r *provider.ListResourceResponse) { r.Results = slices.Values(all) }}
}

func listMistakes() []mistake {
	return []mistake{
		{rule: "LIST-001", name: "nothing", call: list, wrong: finding(func(r *provider.ListResult) { r.Identity = cty.NilVal })},
		{rule: "LIST-001", name: "all null", call: list, wrong: finding(func(r *provider.ListResult) {
			r.Identity = identityOf(cty.NullVal(cty.String), cty.NullVal(cty.String))
		})},
		{rule: "LIST-001", name: "after a warning", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			return list(t, p, w)[1:]
		}, wrong: results(
			provider.ListResult{Diagnostics: diag.Diagnostics{}.Warnf(nil, "slow", "")}, // valid: only a diagnostic
			provider.ListResult{DisplayName: "a", ResourceObject: listed("/a", true).ResourceObject},
		)},
		{rule: "LIST-002", call: list, wrong: foundIdentity("host", cty.UnknownVal(cty.String))},
		{rule: "LIST-003", call: list, wrong: finding(func(r *provider.ListResult) { r.Identity = cty.StringVal("/a") })},
		{rule: "LIST-003", name: "mark", call: list, wrong: foundIdentity("path", hidden.Mark("m"))},
		{rule: "LIST-004", call: list, wrong: foundIdentity("path", cty.NullVal(cty.String))},
		{rule: "LIST-005", call: list, wrong: results(listed("/a", true), listed("/a", true))},
		{rule: "LIST-006", call: list, wrong: foundObject("size", cty.UnknownVal(cty.Number))},
		{rule: "LIST-007", call: list, wrong: foundObject("size", hidden)},
		{rule: "LIST-008", call: list, wrong: foundObject("token", hidden)},
		{rule: "LIST-009", call: listWithoutObject, wrong: finding(func(r *provider.ListResult) { *r = listed(r.DisplayName, true) })},
		{rule: "LIST-010", warning: true, call: list, wrong: finding(func(r *provider.ListResult) { r.ResourceObject = cty.NilVal })},
		{rule: "LIST-011", call: list, wrong: results(listed("/a", true), listed("/b", true), listed("/c", true), listed("/d", true))},
		{rule: "LIST-012", warning: true, call: list, wrong: finding(func(r *provider.ListResult) { r.DisplayName = "" })},
		{rule: "LIST-013", call: list, wrong: mutant{list: func(r *provider.ListResourceResponse) { r.Results = nil }}},
		{rule: "DIAG-003", name: "of a result", warning: true, call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			return list(t, p, w)[1:]
		}, wrong: results(provider.ListResult{Diagnostics: diag.Diagnostics{}.Warnf(cty.GetAttrPath("path"), "not configured", "")})},
		{rule: "PANIC-001", name: "in a list", call: list, wrong: mutant{list: func(r *provider.ListResourceResponse) {
			r.Results = each(r.Results, func(*provider.ListResult) { panic(secret) })
		}}},
	}
}

func events(all ...provider.ActionEvent) mutant {
	return mutant{invoke: func(r *provider.InvokeActionResponse) { r.Events = slices.Values(all) }}
}

func deferring(reason provider.DeferredReason) mutant {
	return mutant{planAction: func(r *provider.PlanActionResponse) { r.Deferred = &provider.Deferred{Reason: reason} }}
}

func actionMistakes() []mistake {
	half, end := provider.ActionProgress{Message: "half way"}, provider.ActionCompleted{}
	failed := provider.ActionCompleted{Diagnostics: diag.Diagnostics{}.Errorf(nil, "lost", "")}
	return []mistake{
		{rule: "ACTION-001", call: planAction, wrong: deferring(provider.DeferredReasonProviderConfigUnknown)},
		{rule: "ACTION-002", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			w.planAction.ClientCapabilities.DeferralAllowed = true
			return planAction(t, p, w)
		}, wrong: deferring(provider.DeferredReasonAbsentPrereq)},
		{rule: "ACTION-003", call: invoke, wrong: events(half)},
		{rule: "ACTION-003", name: "nothing", call: invoke, wrong: mutant{invoke: func(r *provider.InvokeActionResponse) { r.Events = nil }}},
		{rule: "ACTION-004", name: "progress", call: invoke, wrong: events(end, half)},
		{rule: "ACTION-004", name: "an error", call: invoke, wrong: events(end, failed, half)},
		{rule: "ACTION-005", name: "nil", call: invoke, wrong: events(nil, end)},
		{rule: "ACTION-005", name: "pointer", call: invoke, wrong: events(&half, end)},
		{rule: "ACTION-006", warning: true, call: invoke, wrong: events(provider.ActionProgress{}, end)},
		{rule: "DIAG-003", name: "of an action", warning: true, call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			return invoke(t, p, w)[1:]
		}, wrong: events(provider.ActionCompleted{Diagnostics: diag.Diagnostics{}.Warnf(cty.GetAttrPath("hots"), "misspelled", "")})},
		{rule: "PANIC-001", name: "in an action", call: invoke, wrong: mutant{invoke: func(r *provider.InvokeActionResponse) {
			r.Events = func(func(provider.ActionEvent) bool) { panic(secret) }
		}}},
	}
}

func chunk(change func(*provider.StateChunk)) mutant {
	return mutant{readBytes: func(r *provider.ReadStateBytesResponse) { r.Chunks = each(r.Chunks, change) }}
}

func chunks(all ...provider.StateChunk) mutant {
	return mutant{readBytes: func(r *provider.ReadStateBytesResponse) { r.Chunks = slices.Values(all) }}
}

func chunksAre(size int64) mutant {
	return mutant{configureStore: func(r *provider.ConfigureStateStoreResponse) { r.ChunkSize = size }}
}

// lazy is a provider whose WriteStateBytes reads at most take chunks.
type lazy struct {
	fake
	take int
}

func (l lazy) WriteStateBytes(_ context.Context, req provider.WriteStateBytesRequest) provider.WriteStateBytesResponse {
	if l.take > 0 {
		for range req.Chunks {
			if l.take--; l.take == 0 {
				break
			}
		}
	}
	return provider.WriteStateBytesResponse{}
}

func storeMistakes() []mistake {
	good := chunksOf(storedState)
	return []mistake{
		{rule: "STORE-001", name: "zero", call: configureStore, wrong: chunksAre(0)},
		{rule: "STORE-001", name: "negative", call: configureStore, wrong: chunksAre(-1)},
		{rule: "STORE-001", name: "above 128 MiB", call: configureStore, wrong: chunksAre(128<<20 + 1)},
		{rule: "STORE-002", name: "short", warning: true, call: readBytes, wrong: chunksAre(chunkSize + 1)},
		{rule: "STORE-002", name: "long", warning: true, call: readBytes, wrong: chunksAre(chunkSize - 1)},
		{rule: "STORE-002", name: "single long chunk", warning: true, call: readBytes, wrong: chunks(
			provider.StateChunk{Bytes: []byte(storedState), TotalLength: 7, End: 6})},
		{rule: "STORE-003", name: "order", call: readBytes, wrong: chunks(good[1], good[0])},
		{rule: "STORE-003", name: "gap", call: readBytes, wrong: chunk(func(c *provider.StateChunk) {
			if c.Start > 0 {
				c.Start, c.End = c.Start+1, c.End+1
			}
		})},
		{rule: "STORE-003", name: "end is not inclusive", call: readBytes, wrong: chunk(func(c *provider.StateChunk) { c.End++ })},
		{rule: "STORE-004", call: readBytes, wrong: chunk(func(c *provider.StateChunk) { c.TotalLength += c.Start })},
		{rule: "STORE-005", name: "too few", call: readBytes, wrong: chunks(good[0])},
		{rule: "STORE-005", name: "too many", call: readBytes, wrong: chunk(func(c *provider.StateChunk) { c.TotalLength = chunkSize })},
		{rule: "STORE-006", call: readBytes, wrong: mutant{readBytes: func(r *provider.ReadStateBytesResponse) { r.Chunks = nil }}},
		{rule: "STORE-007", name: "not begun", call: writeBytes, inner: lazy{}},
		{rule: "STORE-007", name: "not ended", call: writeBytes, inner: lazy{take: 1}},
		{rule: "STORE-007", name: "chunk with an error", call: func(t *testing.T, p provider.Interface, w world) diag.Diagnostics {
			broken := slices.Clone(good)
			broken[1].Diagnostics = diag.Diagnostics{}.Errorf(nil, "connection lost", "")
			w.writeBytes.Chunks = slices.Values(broken)
			return writeBytes(t, p, w)
		}, inner: lazy{take: 9}},
		{rule: "STORE-008", call: lock, wrong: mutant{lock: func(r *provider.LockStateResponse) { r.LockID = "" }}},
		{rule: "STORE-009", name: "empty", call: getStates, wrong: mutant{getStates: func(r *provider.GetStatesResponse) { r.StateIDs = []string{""} }}},
		{rule: "STORE-009", name: "twice", call: getStates, wrong: mutant{getStates: func(r *provider.GetStatesResponse) { r.StateIDs = []string{"a", "a"} }}},
		{rule: "PANIC-001", name: "before a list", call: list, wrong: mutant{list: func(*provider.ListResourceResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "before an action", call: invoke, wrong: mutant{invoke: func(*provider.InvokeActionResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "before a state", call: readBytes, wrong: mutant{readBytes: func(*provider.ReadStateBytesResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "configuring", call: configureStore, wrong: mutant{configureStore: func(*provider.ConfigureStateStoreResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "writing", call: writeBytes, wrong: mutant{writeBytes: func(*provider.WriteStateBytesResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "locking", call: lock, wrong: mutant{lock: func(*provider.LockStateResponse) { panic(secret) }}},
		{rule: "PANIC-001", name: "in a state", call: readBytes, wrong: chunk(func(c *provider.StateChunk) {
			if c.Start > 0 {
				panic(secret)
			}
		})},
	}
}

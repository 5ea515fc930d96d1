package hostile_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// visit sends requests about everything but managed resources.
type visit struct {
	*world
	ctx  context.Context
	r    *rand.Rand
	caps provider.ClientCapabilities
	// validOnly means that only valid requests are sent, in the order in which clients send them.
	validOnly bool
}

func (w *world) visit(ctx context.Context, r *rand.Rand, validOnly bool) *visit {
	w.judge.forged = !validOnly
	return &visit{world: w, ctx: ctx, r: r, validOnly: validOnly, caps: provider.ClientCapabilities{DeferralAllowed: oneIn(r, 4)}}
}

// config returns a configuration or, unless v.validOnly is set, any value of its type.
func (v *visit) config(b *configschema.Block) cty.Value {
	switch {
	case v.validOnly || v.r.IntN(3) > 0:
		return configOf(v.r, b)
	case oneIn(v.r, 4):
		return cty.NullVal(b.ImpliedType())
	default:
		return wiretest.Value(v.r, b.ImpliedType(), wiretest.Options{Unknown: oneIn(v.r, 2), Short: !oneIn(v.r, 100)})
	}
}

// refused reports whether to stop after these diagnostics: they have errors, after which clients
// stop, and v.validOnly is set.
func (v *visit) refused(diags diag.Diagnostics) bool { return v.validOnly && diags.HasErrors() }

func (v *visit) bytes(stored []byte) []byte {
	if v.validOnly {
		return stored
	}
	return someBytes(v.r, stored)
}

// named returns one of the names, possibly changed unless v.validOnly is set.
func named[T any](v *visit, of map[string]T) string {
	name := pick(v.r, slices.Sorted(maps.Keys(of))...)
	if !v.validOnly && oneIn(v.r, 20) {
		name = string(mutate(v.r, []byte(name)))
	}
	return name
}

func (v *visit) data() {
	name := named(v, v.schema.DataSources)
	config := v.config(v.body(v.schema.DataSources[name]))
	if v.refused(v.client.ValidateDataResourceConfig(v.ctx, provider.ValidateDataResourceConfigRequest{TypeName: name, Config: config}).Diagnostics) {
		return
	}
	v.client.ReadDataSource(v.ctx, provider.ReadDataSourceRequest{
		TypeName: name, Config: config, ProviderMeta: v.config(v.schema.ProviderMeta.Body), ClientCapabilities: v.caps,
	})
}

// body returns the schema of a type, or an empty one if the type does not exist.
func (v *visit) body(s provider.Schema) *configschema.Block {
	if s.Body == nil {
		return &configschema.Block{}
	}
	return s.Body
}

func (v *visit) ephemeral() {
	name := named(v, v.schema.EphemeralResourceTypes)
	config := v.config(v.body(v.schema.EphemeralResourceTypes[name]))
	if v.refused(v.client.ValidateEphemeralResourceConfig(v.ctx, provider.ValidateEphemeralResourceConfigRequest{TypeName: name, Config: config}).Diagnostics) {
		return
	}
	opened := v.client.OpenEphemeralResource(v.ctx, provider.OpenEphemeralResourceRequest{TypeName: name, Config: config, ClientCapabilities: v.caps})
	if v.refused(opened.Diagnostics) || v.validOnly && opened.Deferred != nil {
		return
	}
	private := opened.Private
	for range v.r.IntN(3) {
		renewed := v.client.RenewEphemeralResource(v.ctx, provider.RenewEphemeralResourceRequest{TypeName: name, Private: v.bytes(private)})
		if v.refused(renewed.Diagnostics) {
			break
		}
		private = renewed.Private
	}
	if oneIn(v.r, 2) {
		private = opened.Private // Terraform closes with the private data of Open
	}
	v.client.CloseEphemeralResource(v.ctx, provider.CloseEphemeralResourceRequest{TypeName: name, Private: v.bytes(private)})
}

func (v *visit) function() {
	name := named(v, v.schema.Functions)
	decl := v.schema.Functions[name]
	params := decl.Parameters
	for range v.r.IntN(4) {
		if decl.VariadicParameter != nil {
			params = append(slices.Clip(params), *decl.VariadicParameter)
		}
	}
	var args []cty.Value
	for _, p := range params {
		arg := wiretest.Value(v.r, p.Type, wiretest.Options{NoNull: v.validOnly && !p.AllowNullValue, Unknown: p.AllowUnknownValues || !v.validOnly, Short: !oneIn(v.r, 100)})
		args = append(args, arg)
	}
	if !v.validOnly && oneIn(v.r, 8) && len(args) > 0 {
		args = args[1:]
	}
	got := v.client.CallFunction(v.ctx, provider.CallFunctionRequest{FunctionName: name, Arguments: args})
	if got.Err != nil {
		v.judge.message("CallFunction", got.Err.Error(), "")
	}
}

func (v *visit) list() {
	name := named(v, v.schema.ListResourceTypes)
	config := v.config(v.body(v.schema.ListResourceTypes[name]))
	limit, include := int64(v.r.IntN(4)), oneIn(v.r, 2)
	if !v.validOnly {
		limit = pick(v.r, limit, -1, 1<<62)
	}
	if v.refused(v.client.ValidateListResourceConfig(v.ctx, provider.ValidateListResourceConfigRequest{
		TypeName: name, Config: config, Limit: cty.NumberIntVal(limit), IncludeResourceObject: cty.BoolVal(include),
	}).Diagnostics) {
		return
	}
	found := v.client.ListResource(v.ctx, provider.ListResourceRequest{TypeName: name, Config: config, Limit: limit, IncludeResourceObject: include})
	v.judge.messages("ListResource", found.Diagnostics)
	if found.Results == nil {
		return
	}
	for result := range found.Results {
		v.judge.messages("ListResource", result.Diagnostics)
		if oneIn(v.r, 8) {
			break
		}
	}
}

func (v *visit) action() {
	name := named(v, v.schema.Actions)
	config := v.config(v.body(v.schema.Actions[name]))
	if v.refused(v.client.ValidateActionConfig(v.ctx, provider.ValidateActionConfigRequest{ActionType: name, Config: config}).Diagnostics) {
		return
	}
	plan := v.client.PlanAction(v.ctx, provider.PlanActionRequest{ActionType: name, Config: config, ClientCapabilities: v.caps})
	if v.refused(plan.Diagnostics) || v.validOnly && plan.Deferred != nil {
		return
	}
	invoked := v.client.InvokeAction(v.ctx, provider.InvokeActionRequest{ActionType: name, Config: config})
	v.judge.messages("InvokeAction", invoked.Diagnostics)
	if invoked.Events == nil {
		return
	}
	completed := false
	for event := range invoked.Events {
		if end, ok := event.(provider.ActionCompleted); ok {
			v.judge.messages("InvokeAction", end.Diagnostics)
			completed = true
		}
		if oneIn(v.r, 8) {
			return
		}
	}
	if !completed {
		v.judge.fail("the events of InvokeAction of %s ended without ActionCompleted", name)
	}
}

// store writes a state and reads it, under a lock.
func (v *visit) store() {
	name := named(v, v.schema.StateStores)
	config := v.config(v.body(v.schema.StateStores[name]))
	if v.refused(v.client.ValidateStateStoreConfig(v.ctx, provider.ValidateStateStoreConfigRequest{TypeName: name, Config: config}).Diagnostics) {
		return
	}
	size := int64(8 << 20)
	if !v.validOnly {
		size = pick(v.r, size, 0, -1, 1, 1<<62, 100)
	}
	configured := v.client.ConfigureStateStore(v.ctx, provider.ConfigureStateStoreRequest{TypeName: name, Config: config, ChunkSize: size})
	if v.refused(configured.Diagnostics) {
		return
	}
	id := pick(v.r, "default", "work")
	if !v.validOnly && oneIn(v.r, 4) {
		id = pick(v.r, "", "../x", "a/b", "\xff", strings.Repeat("x", 300))
	}
	lock := v.client.LockState(v.ctx, provider.LockStateRequest{TypeName: name, StateID: id, Operation: pick(v.r, "plan", "", "\xff")})
	if v.refused(lock.Diagnostics) {
		return
	}
	state := []byte(strings.Repeat(pick(v.r, "", "{}", "state\xff", "0123456789"), pick(v.r, 1, 100, 1000)))
	written := v.client.WriteStateBytes(v.ctx, provider.WriteStateBytesRequest{TypeName: name, StateID: id, Chunks: v.chunks(state, configured.ChunkSize)})
	read := v.client.ReadStateBytes(v.ctx, provider.ReadStateBytesRequest{TypeName: name, StateID: id})
	var back []byte
	if read.Chunks != nil {
		for chunk := range read.Chunks {
			v.judge.messages("ReadStateBytes", chunk.Diagnostics)
			back = append(back, chunk.Bytes...)
		}
	}
	if v.validOnly && !written.Diagnostics.HasErrors() && len(state) > 0 && string(back) != string(state) {
		v.judge.fail("wrote a state of %d bytes, read %d bytes that differ", len(state), len(back))
	}
	v.client.GetStates(v.ctx, provider.GetStatesRequest{TypeName: name})
	if oneIn(v.r, 2) {
		v.client.DeleteState(v.ctx, provider.DeleteStateRequest{TypeName: name, StateID: id})
	}
	lockID := lock.LockID
	if !v.validOnly && oneIn(v.r, 4) {
		lockID = "another"
	}
	v.client.UnlockState(v.ctx, provider.UnlockStateRequest{TypeName: name, StateID: id, LockID: lockID})
}

// chunks returns a state in chunks, some of which may be invalid unless v.validOnly is set.
func (v *visit) chunks(state []byte, size int64) func(func(provider.StateChunk) bool) {
	if size < 1 || size > 1<<20 {
		size = 64
	}
	return func(yield func(provider.StateChunk) bool) {
		for start := int64(0); start < int64(len(state)); start += size {
			end := min(start+size, int64(len(state)))
			chunk := provider.StateChunk{Bytes: state[start:end], Start: start, End: end - 1, TotalLength: int64(len(state))}
			if !v.validOnly && oneIn(v.r, 6) {
				odd := pick(v.r, 0, -1, 1, 1<<62, start)
				switch v.r.IntN(5) {
				case 0:
					chunk.Start = odd
				case 1:
					chunk.End = odd
				case 2:
					chunk.TotalLength = odd
				case 3:
					chunk.Bytes = nil
				default:
					chunk.Diagnostics = diag.Diagnostics{}.Errorf(nil, "lost", "the connection is lost")
				}
			}
			if !yield(chunk) {
				return
			}
		}
	}
}

// provider sends requests about the provider itself.
func (v *visit) provider() {
	config := v.config(v.schema.Provider.Body)
	if v.validOnly && oneIn(v.r, 3) {
		config = blur(v.r, config)
	}
	if v.refused(v.client.ValidateProviderConfig(v.ctx, provider.ValidateProviderConfigRequest{Config: config}).Diagnostics) {
		return
	}
	v.client.ConfigureProvider(v.ctx, provider.ConfigureProviderRequest{
		TerraformVersion: pick(v.r, "1.12.0", "", "\xff"), Config: config, ClientCapabilities: v.caps,
	})
	if oneIn(v.r, 4) {
		if err := v.client.Stop(v.ctx); err != nil {
			v.judge.fail("StopProvider: %v", err)
		}
	}
}

// some sends requests about one to the given number of types, or about the provider itself.
func (v *visit) some(most int) {
	for range 1 + v.r.IntN(most) {
		v.tamper = nil
		if !v.validOnly && oneIn(v.r, 3) {
			v.tamper = v.r
		}
		pick(v.r, v.data, v.ephemeral, v.function, v.list, v.action, v.store, v.provider)()
	}
}

package hostile_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// raw runs an execution that sends arbitrary bytes to the server.
func raw(t *testing.T, w *world, send func(ctx context.Context)) {
	t.Helper()
	timed(t, w, func() {
		ctx := w.begin(t)
		w.judge.forged = true
		send(ctx)
	})
}

// FuzzRawManaged sends bytes as the objects, identities and private data of managed resources.
func FuzzRawManaged(f *testing.F) {
	w := must(f, demoWorld)
	for i, name := range []string{"demo_page", "demo_sheet", "demo_badge"} {
		all := samples(f, w.schema.ResourceTypes[name].Body, 6)
		for n := range all {
			for rpc := range 5 {
				f.Add(uint8(rpc*8+i), all[n], all[(n+1)%len(all)], all[(n+2)%len(all)], []byte("\x82\xa9directory\xa6/notes\xa4name\xa1a"), []byte(documents[3]), []byte("\x81\xa6module\xa1m"), name)
			}
		}
	}
	f.Add(uint8(1), []byte(`{"name":"a"}`), []byte{}, []byte(nil), []byte("{}"), []byte(nil), []byte("\xc0"), "unheard_of")
	names := []string{"demo_page", "demo_sheet", "demo_badge"}
	f.Fuzz(func(t *testing.T, how uint8, prior, planned, config, id, private, meta []byte, other string) {
		c := choice(how)
		name := append(names, other)[c.of(4)]
		raw(t, w, func(ctx context.Context) {
			switch c / 8 % 5 {
			case 0:
				_, _ = w.ValidateResourceConfig(ctx, &tfplugin.ValidateResourceConfigRequest{
					TypeName: name, Config: dynamic(config), ClientCapabilities: &tfplugin.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: c.switched(6)},
				})
			case 1:
				_, _ = w.ReadResource(ctx, &tfplugin.ReadResourceRequest{
					TypeName: name, CurrentState: dynamic(prior), Private: private, ProviderMeta: dynamic(meta), CurrentIdentity: identity(id),
				})
			case 2:
				_, _ = w.PlanResourceChange(ctx, &tfplugin.PlanResourceChangeRequest{
					TypeName: name, PriorState: dynamic(prior), ProposedNewState: dynamic(planned), Config: dynamic(config), PriorPrivate: private,
					ProviderMeta: dynamic(meta), PriorIdentity: identity(id), ClientCapabilities: &tfplugin.PlanResourceChangeClientCapabilities{DeferralAllowed: c.switched(6)},
				})
			case 3:
				_, _ = w.ApplyResourceChange(ctx, &tfplugin.ApplyResourceChangeRequest{
					TypeName: name, PriorState: dynamic(prior), PlannedState: dynamic(planned), Config: dynamic(config), PlannedPrivate: private,
					ProviderMeta: dynamic(meta), PlannedIdentity: identity(id),
				})
			default:
				_, _ = w.GenerateResourceConfig(ctx, &tfplugin.GenerateResourceConfigRequest{TypeName: name, State: dynamic(prior)})
			}
		})
	})
}

// flat is a state in the flatmap form of Terraform 0.11 and earlier.
const flat = "\tname\ta\ntitle\tx\nmode\t420\nuntil\t1\ntags.#\t2\ntags.0\tx\ntags.1\ty\nlabels.%\t1\nlabels.a\tb\nlink.#\t1\n" +
	"link.0.page\tx\nlink.0.rank\t1\nsections.#\t1\nsections.0.heading\tx\nsections.0.notes.%\t1\nsections.0.notes.a.lines.#\t0\nauthor.#\t1\nauthor.0.name\tx"

// FuzzRawState sends bytes as stored states, identities and import IDs.
func FuzzRawState(f *testing.F) {
	w := must(f, demoWorld)
	for i, doc := range append(documents, flat, strings.ReplaceAll(flat, "1", "-1"), strings.ReplaceAll(flat, "#", "%")) {
		for rpc := range 4 {
			for version := range int64(3) {
				f.Add(uint8(rpc*8+i%4), version, []byte(doc), []byte(documents[(i+1)%len(documents)]), "demo_sheet", []byte("\x81\xa6serial\xa17"))
				f.Add(uint8(rpc*8), version, []byte(doc), []byte(documents[i%len(documents)]), "demo_page", []byte("\x81\xa6serial\xa17"))
			}
		}
	}
	names := []string{"demo_page", "demo_sheet", "demo_badge"}
	f.Fuzz(func(t *testing.T, how uint8, version int64, state, private []byte, name string, id []byte) {
		c := choice(how)
		target := append(names, name)[c.of(4)]
		raw(t, w, func(ctx context.Context) {
			switch c / 8 % 4 {
			case 0:
				_, _ = w.UpgradeResourceState(ctx, &tfplugin.UpgradeResourceStateRequest{TypeName: target, Version: version, RawState: stored(state)})
			case 1:
				_, _ = w.UpgradeResourceIdentity(ctx, &tfplugin.UpgradeResourceIdentityRequest{TypeName: target, Version: version, RawIdentity: stored(state)})
			case 2:
				_, _ = w.MoveResourceState(ctx, &tfplugin.MoveResourceStateRequest{
					SourceProviderAddress: string(id), SourceTypeName: name, SourceSchemaVersion: version, SourceState: stored(state),
					SourcePrivate: private, TargetTypeName: target, SourceIdentity: stored(private),
				})
			default:
				req := &tfplugin.ImportResourceStateRequest{TypeName: target, Identity: identity(id)}
				if c.switched(6) {
					req.ID = name
				}
				_, _ = w.ImportResourceState(ctx, req)
			}
		})
	})
}

// FuzzRawFamilies sends bytes to data sources, ephemeral resources, list
// resources, actions and the provider itself.
func FuzzRawFamilies(f *testing.F) {
	w := must(f, demoWorld)
	for rpc, b := range []struct{ all [][]byte }{
		{samples(f, w.schema.DataSources["demo_page"].Body, 6)},
		{samples(f, w.schema.EphemeralResourceTypes["demo_session"].Body, 6)},
		{samples(f, w.schema.ListResourceTypes["demo_page"].Body, 6)},
		{samples(f, w.schema.Actions["demo_stamp"].Body, 6)},
		{samples(f, w.schema.Provider.Body, 6)},
	} {
		for i, config := range b.all {
			f.Add(uint8(rpc*8+i%8), config, []byte("\x81\xa6module\xa1m"), []byte(documents[4]), "unheard_of", int64(i))
		}
	}
	f.Fuzz(func(t *testing.T, how uint8, config, meta, private []byte, other string, limit int64) {
		c := choice(how)
		name := func(usual string) string {
			if c.switched(6) {
				return other
			}
			return usual
		}
		raw(t, w, func(ctx context.Context) {
			switch c / 8 % 5 {
			case 0:
				page := name("demo_page")
				_, _ = w.ValidateDataResourceConfig(ctx, &tfplugin.ValidateDataResourceConfigRequest{TypeName: page, Config: dynamic(config)})
				_, _ = w.ReadDataSource(ctx, &tfplugin.ReadDataSourceRequest{TypeName: page, Config: dynamic(config), ProviderMeta: dynamic(meta)})
			case 1:
				session := name("demo_session")
				_, _ = w.ValidateEphemeralResourceConfig(ctx, &tfplugin.ValidateEphemeralResourceConfigRequest{TypeName: session, Config: dynamic(config)})
				_, _ = w.OpenEphemeralResource(ctx, &tfplugin.OpenEphemeralResourceRequest{TypeName: session, Config: dynamic(config)})
				_, _ = w.RenewEphemeralResource(ctx, &tfplugin.RenewEphemeralResourceRequest{TypeName: session, Private: private})
				_, _ = w.CloseEphemeralResource(ctx, &tfplugin.CloseEphemeralResourceRequest{TypeName: session, Private: private})
			case 2:
				page := name("demo_page")
				_, _ = w.ValidateListResourceConfig(ctx, &tfplugin.ValidateListResourceConfigRequest{
					TypeName: page, Config: dynamic(config), IncludeResourceObject: dynamic(meta), Limit: dynamic(private),
				})
				stream, _ := w.ListResource(ctx, &tfplugin.ListResourceRequest{TypeName: page, Config: dynamic(config), IncludeResource: c.switched(7), Limit: limit})
				for range stream.Results {
				}
			case 3:
				stamp := name("demo_stamp")
				_, _ = w.ValidateActionConfig(ctx, &tfplugin.ValidateActionConfigRequest{ActionType: stamp, Config: dynamic(config)})
				_, _ = w.PlanAction(ctx, &tfplugin.PlanActionRequest{ActionType: stamp, Config: dynamic(config)})
				stream, _ := w.InvokeAction(ctx, &tfplugin.InvokeActionRequest{ActionType: stamp, Config: dynamic(config)})
				for range stream.Events {
				}
			default:
				_, _ = w.ValidateProviderConfig(ctx, &tfplugin.ValidateProviderConfigRequest{Config: dynamic(config)})
				_, _ = w.ConfigureProvider(ctx, &tfplugin.ConfigureProviderRequest{TerraformVersion: other, Config: dynamic(config)})
				_, _ = w.GetMetadata(ctx, &tfplugin.GetMetadataRequest{})
				_, _ = w.StopProvider(ctx, &tfplugin.StopProviderRequest{})
			}
		})
	})
}

// FuzzRawFunctions sends bytes as the arguments of functions.
func FuzzRawFunctions(f *testing.F) {
	w := must(f, demoWorld)
	names := []string{"shout", "join", "certain", "outline"}
	for how := range uint8(8) {
		f.Add(how*32+how%5, []byte("\xa1a"), []byte("\xc0"), []byte("\xd4\x00\x00"), "unheard_of")
		f.Add(how*32+how%5, []byte("\x91\x82\xa7heading\xa1x\xa5level\x02"), []byte("\xa1b"), []byte(`"x"`), "unheard_of")
	}
	f.Fuzz(func(t *testing.T, how uint8, first, second, third []byte, other string) {
		c := choice(how)
		args := []*tfplugin.DynamicValue{dynamic(first), dynamic(second), dynamic(third)}
		if n := int(c / 32); n < len(args) {
			args = args[:n]
		}
		raw(t, w, func(ctx context.Context) {
			_, _ = w.CallFunction(ctx, &tfplugin.CallFunctionRequest{Name: append(names, other)[c.of(5)], Arguments: args})
		})
	})
}

// FuzzRawStores sends bytes as configurations of state stores, as names, and as
// chunks of states.
func FuzzRawStores(f *testing.F) {
	w := must(f, demoWorld)
	for i, config := range samples(f, w.schema.StateStores["demo_cabinet"].Body, 6) {
		f.Add(uint8(i), config, "default", []byte("the state"), int64(9), int64(0), int64(8), int64(100))
		f.Add(uint8(i), config, "a/../b", []byte("\xff"), int64(1<<62), int64(-1), int64(0), int64(-1))
	}
	f.Fuzz(func(t *testing.T, how uint8, config []byte, id string, chunk []byte, total, start, end, size int64) {
		c := choice(how)
		name := "demo_cabinet"
		if c.switched(7) {
			name = id
		}
		raw(t, w, func(ctx context.Context) {
			_, _ = w.ValidateStateStoreConfig(ctx, &tfplugin.ValidateStateStoreConfigRequest{TypeName: name, Config: dynamic(config)})
			_, _ = w.ConfigureStateStore(ctx, &tfplugin.ConfigureStateStoreRequest{
				TypeName: name, Config: dynamic(config), Capabilities: &tfplugin.ConfigureStateStoreClientCapabilities{ChunkSize: size},
			})
			_, _ = w.LockState(ctx, &tfplugin.LockStateRequest{TypeName: name, StateID: id, Operation: string(chunk)})
			parts := []*tfplugin.WriteStateBytesChunk{
				{Meta: &tfplugin.WriteStateChunkMeta{TypeName: name, StateID: id}, StateByteChunk: tfplugin.StateByteChunk{Bytes: chunk, TotalLength: total, Range: tfplugin.StateByteRange{Start: start, End: end}}},
				{StateByteChunk: tfplugin.StateByteChunk{Bytes: chunk, TotalLength: total, Range: tfplugin.StateByteRange{Start: end, End: total}}},
				nil,
			}
			if c.switched(6) {
				slices.Reverse(parts)
			}
			_, _ = w.WriteStateBytes(ctx, &tfplugin.WriteStateBytesStream{Chunks: func(yield func(*tfplugin.WriteStateBytesChunk, []*tfplugin.Diagnostic) bool) {
				for _, part := range parts[:c.of(4)] {
					if !yield(part, nil) {
						return
					}
				}
			}})
			stream, _ := w.ReadStateBytes(ctx, &tfplugin.ReadStateBytesRequest{TypeName: name, StateID: id})
			for range stream.Chunks {
			}
			_, _ = w.GetStates(ctx, &tfplugin.GetStatesRequest{TypeName: name})
			_, _ = w.UnlockState(ctx, &tfplugin.UnlockStateRequest{TypeName: name, StateID: id, LockID: "lock-of-" + id})
			_, _ = w.DeleteState(ctx, &tfplugin.DeleteStateRequest{TypeName: name, StateID: id})
		})
	})
}

// FuzzHostileDemo sends invalid requests about managed resources of the demo
// provider.
func FuzzHostileDemo(f *testing.F) { fuzzWildly(f, must(f, demoWorld)) }

// FuzzHostilePosix sends invalid requests about files, directories and symbolic
// links.
func FuzzHostilePosix(f *testing.F) { fuzzWildly(f, must(f, posixWorld)) }

func fuzzWildly(f *testing.F, w *world) {
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	types := slices.Sorted(maps.Keys(w.schema.ResourceTypes))
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			w.life(ctx, r, pick(r, types...)).wildly(4)
		})
	})
}

// FuzzHostileFamilies sends invalid requests about everything in the demo provider but managed
// resources.
func FuzzHostileFamilies(f *testing.F) {
	w := must(f, demoWorld)
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			if oneIn(r, 2) {
				w.life(ctx, r, "demo_page").apply(configOf(r, w.schema.ResourceTypes["demo_page"].Body))
			}
			w.visit(ctx, r, false).some(4)
		})
	})
}

// FuzzLifeDemo sends valid sequences of requests about objects of the demo
// provider.
func FuzzLifeDemo(f *testing.F) { fuzzLife(f, must(f, demoWorld)) }

// FuzzLifePosix sends valid sequences of requests about files, directories and
// symbolic links.
func FuzzLifePosix(f *testing.F) { fuzzLife(f, must(f, posixWorld)) }

func fuzzLife(f *testing.F, w *world) {
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	types := slices.Sorted(maps.Keys(w.schema.ResourceTypes))
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			w.life(ctx, r, pick(r, types...)).live(6)
		})
	})
}

// FuzzLifeFamilies sends valid requests about everything in the demo provider but managed
// resources, with up to two existing objects.
func FuzzLifeFamilies(f *testing.F) {
	w := must(f, demoWorld)
	for _, seed := range seeds(60, 200) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		timed(t, w, func() {
			ctx, r := w.begin(t), choose(data)
			for range r.IntN(3) {
				w.life(ctx, r, "demo_page").apply(configOf(r, w.schema.ResourceTypes["demo_page"].Body))
			}
			w.visit(ctx, r, true).some(3)
		})
	})
}

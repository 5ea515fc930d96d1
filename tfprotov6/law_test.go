package tfprotov6_test

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6"
)

// same compares requests and responses by value, and streams by their elements.
var same = cmp.Options{
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type() != reflect.TypeFor[cty.Path]() }, cmpopts.EquateEmpty()),
	cmp.Comparer(func(a, b cty.Type) bool { return a.Equals(b) }),
	cmp.Comparer(func(a, b cty.Value) bool {
		return (a == cty.NilVal) == (b == cty.NilVal) && (a == cty.NilVal || a.RawEquals(b))
	}),
	cmp.Comparer(cty.Path.Equals),
	cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Err" },
		cmp.Transformer("text", func(err error) string {
			if at, ok := errors.AsType[*provider.FunctionArgumentError](err); ok {
				return fmt.Sprintf("argument %d: %s", at.Index, at)
			}
			return fmt.Sprint(err)
		})),
	collect[provider.ListResult](),
	collect[provider.ActionEvent](),
	collect[provider.StateChunk](),
}

func collect[T any]() cmp.Option {
	return cmp.Transformer("collect", func(s iter.Seq[T]) []T {
		if s == nil {
			return nil
		}
		return slices.Collect(s)
	})
}

// viaProtocol returns f behind a server and a client.
func viaProtocol(t *testing.T, f *fake) provider.Interface {
	t.Helper()
	server, err := tfprotov6.NewServer(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := tfprotov6.NewClient(server)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// maker generates random requests and responses that the protocol can carry.
type maker struct{ *rand.Rand }

// value returns a random value that was encoded and decoded by go-cty, because
// the precision of numbers may change.
func (m maker) value(ty cty.Type) cty.Value {
	data, err := ctymsgpack.Marshal(wiretest.Value(m.Rand, ty, wiretest.Options{Unknown: true}), ty)
	if err != nil {
		panic(err)
	}
	v, err := ctymsgpack.Unmarshal(data, ty)
	if err != nil {
		panic(err)
	}
	return v
}

func (m maker) object() cty.Value {
	return m.value(newFake().schema.DataSources[thing].Body.ImpliedType())
}

func (m maker) small() cty.Value {
	return m.value(newFake().schema.Provider.Body.ImpliedType())
}

// identity returns a random identity of a response, or cty.NilVal.
func (m maker) identity() cty.Value {
	if m.IntN(4) == 0 {
		return cty.NilVal
	}
	return m.requestIdentity()
}

func (m maker) requestIdentity() cty.Value {
	return m.value(newFake().identities.IdentityTypes[thing].Body.ObjectType())
}

func (m maker) bytes() []byte {
	b := make([]byte, m.IntN(40))
	for i := range b {
		b[i] = byte(m.IntN(256))
	}
	return b
}

func (m maker) text() string { return fmt.Sprintf("text %d é", m.IntN(1000)) }

func (m maker) path() cty.Path {
	return []cty.Path{
		nil,
		cty.GetAttrPath("name"),
		cty.GetAttrPath("tags").IndexString("k"),
		cty.GetAttrPath("nested").IndexInt(1).GetAttr("b"),
	}[m.IntN(4)]
}

func (m maker) diags() diag.Diagnostics {
	var d diag.Diagnostics
	for range m.IntN(3) {
		if m.IntN(2) == 0 {
			d = d.Warnf(m.path(), m.text(), "%s", m.text())
		} else {
			d = d.Errorf(m.path(), m.text(), "%s", m.text())
		}
	}
	return d
}

func (m maker) paths() (paths []cty.Path) {
	for range m.IntN(3) {
		paths = append(paths, m.path())
	}
	return paths
}

func (m maker) deferred() *provider.Deferred {
	reasons := []provider.DeferredReason{
		provider.DeferredReasonInvalid, provider.DeferredReasonResourceConfigUnknown,
		provider.DeferredReasonProviderConfigUnknown, provider.DeferredReasonAbsentPrereq,
	}
	if m.IntN(2) == 0 {
		return nil
	}
	return &provider.Deferred{Reason: reasons[m.IntN(len(reasons))]}
}

func (m maker) can() provider.ClientCapabilities {
	return provider.ClientCapabilities{DeferralAllowed: m.IntN(2) == 0}
}

func (m maker) time() time.Time {
	if m.IntN(2) == 0 {
		return time.Time{}
	}
	return time.Unix(m.Int64N(1<<32), 0)
}

func (m maker) chunks() iter.Seq[provider.StateChunk] {
	var chunks []provider.StateChunk
	for range 1 + m.IntN(3) {
		chunks = append(chunks, provider.StateChunk{Bytes: m.bytes(), TotalLength: m.Int64(), Start: m.Int64(), End: m.Int64()})
	}
	return slices.Values(chunks)
}

// request is a call that is made to two providers.
type request struct {
	name string
	send func(p provider.Interface) any
}

// TestRoundTrip checks that requests and responses pass through client and server
// unchanged.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for seed := range uint64(25) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			m := maker{wiretest.Rand(seed)}
			f := newFake()
			m.answers(f)
			p := viaProtocol(t, f)
			for _, q := range m.requests(t.Context()) {
				f.asked = nil
				want := q.send(f)
				wantAsked := f.asked
				f.asked = nil
				got := q.send(p)
				// The request of a stream is sent when the stream is read.
				if diff := cmp.Diff(want, got, same); diff != "" {
					t.Errorf("%s: response (-want +got):\n%s", q.name, diff)
				}
				if len(f.asked) == 0 {
					t.Errorf("%s: the provider was not called", q.name)
					continue
				}
				if diff := cmp.Diff(wantAsked, f.asked[:1], same); diff != "" {
					t.Errorf("%s: request (-want +got):\n%s", q.name, diff)
				}
			}
		})
	}
}

func (m maker) answers(f *fake) {
	f.answer(provider.ValidateProviderConfigResponse{PreparedConfig: m.small(), Diagnostics: m.diags()})
	f.answer(provider.ConfigureProviderResponse{Diagnostics: m.diags()})
	f.answer(provider.ValidateResourceConfigResponse{Diagnostics: m.diags()})
	f.answer(provider.UpgradeResourceStateResponse{UpgradedState: m.object(), Diagnostics: m.diags()})
	f.answer(provider.UpgradeResourceIdentityResponse{UpgradedIdentity: m.identity(), Diagnostics: m.diags()})
	f.answer(provider.ReadResourceResponse{NewState: m.object(), Diagnostics: m.diags(), Private: m.bytes(), Deferred: m.deferred(), Identity: m.identity()})
	f.answer(provider.PlanResourceChangeResponse{
		PlannedState: m.object(), RequiresReplace: m.paths(), PlannedPrivate: m.bytes(), Diagnostics: m.diags(),
		LegacyTypeSystem: m.IntN(2) == 0, Deferred: m.deferred(), PlannedIdentity: m.identity(),
	})
	f.answer(provider.ApplyResourceChangeResponse{
		NewState: m.object(), Private: m.bytes(), Diagnostics: m.diags(), LegacyTypeSystem: m.IntN(2) == 0, NewIdentity: m.identity(),
	})
	imported := provider.ImportResourceStateResponse{Diagnostics: m.diags(), Deferred: m.deferred()}
	for range m.IntN(3) {
		imported.ImportedResources = append(imported.ImportedResources, provider.ImportedResource{
			TypeName: thing, State: m.object(), Private: m.bytes(), Identity: m.identity(),
		})
	}
	imported.ImportedResources = append(imported.ImportedResources, provider.ImportedResource{TypeName: "test_plain", State: m.small()})
	f.answer(imported)
	f.answer(provider.MoveResourceStateResponse{TargetState: m.object(), TargetPrivate: m.bytes(), Diagnostics: m.diags(), TargetIdentity: m.identity()})
	f.answer(provider.GenerateResourceConfigResponse{Config: m.object(), Diagnostics: m.diags()})
	f.answer(provider.ValidateDataResourceConfigResponse{Diagnostics: m.diags()})
	f.answer(provider.ReadDataSourceResponse{State: m.object(), Diagnostics: m.diags(), Deferred: m.deferred()})
	f.answer(provider.ValidateEphemeralResourceConfigResponse{Diagnostics: m.diags()})
	f.answer(provider.OpenEphemeralResourceResponse{Result: m.object(), Private: m.bytes(), RenewAt: m.time(), Deferred: m.deferred(), Diagnostics: m.diags()})
	f.answer(provider.RenewEphemeralResourceResponse{Private: m.bytes(), RenewAt: m.time(), Diagnostics: m.diags()})
	f.answer(provider.CloseEphemeralResourceResponse{Diagnostics: m.diags()})
	call := provider.CallFunctionResponse{Result: wiretest.Value(m.Rand, cty.List(cty.String), wiretest.Options{})}
	switch m.IntN(3) {
	case 0:
		call = provider.CallFunctionResponse{Err: errors.New(m.text())}
	case 1:
		call = provider.CallFunctionResponse{Err: &provider.FunctionArgumentError{Index: m.IntN(3), Err: errors.New(m.text())}}
	}
	f.answer(call)
	f.answer(provider.ValidateListResourceConfigResponse{Diagnostics: m.diags()})
	var results []provider.ListResult
	for range m.IntN(4) {
		results = append(results, provider.ListResult{DisplayName: m.text(), Identity: m.identity(), ResourceObject: m.object(), Diagnostics: m.diags()})
	}
	results = append(results, provider.ListResult{DisplayName: "no object", Identity: m.identity()})
	f.answer(provider.ListResourceResponse{Results: slices.Values(results)})
	f.answer(provider.ValidateActionConfigResponse{Diagnostics: m.diags()})
	f.answer(provider.PlanActionResponse{Diagnostics: m.diags(), Deferred: m.deferred()})
	f.answer(provider.InvokeActionResponse{Events: slices.Values([]provider.ActionEvent{
		provider.ActionProgress{Message: m.text()}, provider.ActionProgress{Message: m.text()}, provider.ActionCompleted{Diagnostics: m.diags()},
	})})
	f.answer(provider.ValidateStateStoreConfigResponse{Diagnostics: m.diags()})
	f.answer(provider.ConfigureStateStoreResponse{ChunkSize: m.Int64(), Diagnostics: m.diags()})
	f.answer(provider.ReadStateBytesResponse{Chunks: m.chunks()})
	f.answer(provider.WriteStateBytesResponse{Diagnostics: m.diags()})
	f.answer(provider.LockStateResponse{LockID: m.text(), Diagnostics: m.diags()})
	f.answer(provider.UnlockStateResponse{Diagnostics: m.diags()})
	f.answer(provider.GetStatesResponse{StateIDs: []string{m.text(), m.text()}, Diagnostics: m.diags()})
	f.answer(provider.DeleteStateResponse{Diagnostics: m.diags()})
}

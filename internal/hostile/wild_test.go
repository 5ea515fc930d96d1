package hostile_test

import (
	"math/rand/v2"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/internal/wire/wiretest"
	"github.com/posixform/terraform-provider-posix/provider"
)

// wildly performs at least one operation on an object, and at most the given number. An
// operation is a request with values of the right types regardless of earlier responses,
// or an operation of live. For about a third of the operations, tamper may change the requests.
func (l *life) wildly(most int) {
	l.validOnly, l.judge.forged = false, true
	for range 1 + l.r.IntN(most) {
		l.tamper = nil
		if oneIn(l.r, 3) {
			l.tamper = l.r
		}
		switch l.r.IntN(10) {
		case 0:
			l.plan(l.object(), l.bytes(), l.anyIdentity(), l.object(), l.anyMeta())
		case 1:
			l.client.PlanResourceChange(l.ctx, provider.PlanResourceChangeRequest{
				TypeName: l.typeName, PriorState: l.object(), ProposedNewState: l.object(), Config: l.object(),
				PriorPrivate: l.bytes(), ProviderMeta: l.anyMeta(), PriorIdentity: l.anyIdentity(), ClientCapabilities: l.caps,
			})
		case 2:
			l.client.ApplyResourceChange(l.ctx, provider.ApplyResourceChangeRequest{
				TypeName: l.typeName, PriorState: l.object(), PlannedState: l.object(), Config: l.object(),
				PlannedPrivate: l.bytes(), ProviderMeta: l.anyMeta(), PlannedIdentity: l.anyIdentity(),
			})
		case 3:
			l.client.ReadResource(l.ctx, provider.ReadResourceRequest{
				TypeName: l.typeName, PriorState: l.object(), Private: l.bytes(), ProviderMeta: l.anyMeta(),
				CurrentIdentity: l.anyIdentity(), ClientCapabilities: l.caps,
			})
		case 4:
			l.validate(l.object())
		case 5:
			l.client.GenerateResourceConfig(l.ctx, provider.GenerateResourceConfigRequest{TypeName: l.typeName, State: l.object()})
		case 6:
			l.client.ImportResourceState(l.ctx, provider.ImportResourceStateRequest{
				TypeName: l.typeName, ID: pick(l.r, "", "a", "/a", string(l.bytes())), Identity: l.anyIdentity(), ClientCapabilities: l.caps,
			})
		case 7:
			l.client.MoveResourceState(l.ctx, provider.MoveResourceStateRequest{
				SourceProviderAddress: pick(l.r, "", "registry.example.net/x/local", string(l.bytes())),
				SourceTypeName:        pick(l.r, "demo_sheet", "local_file", "null_resource"), SourceSchemaVersion: int64(l.r.IntN(3)),
				SourceStateJSON: l.bytes(), SourcePrivate: l.bytes(), TargetTypeName: l.typeName, SourceIdentity: l.bytes(),
			})
		case 8:
			l.client.UpgradeResourceState(l.ctx, provider.UpgradeResourceStateRequest{
				TypeName: l.typeName, Version: int64(l.r.IntN(4)), RawStateJSON: l.bytes(),
			})
		default:
			l.live(1)
		}
	}
}

// object returns a value of the type of the resource: null, unknown, a configuration, the
// state, or any other.
func (l *life) object() cty.Value {
	ty := l.body.ImpliedType()
	switch l.r.IntN(8) {
	case 0:
		return cty.NullVal(ty)
	case 1:
		return cty.UnknownVal(ty)
	case 2, 3:
		return configOf(l.r, l.body)
	case 4:
		return l.state
	case 5:
		return blur(l.r, configOf(l.r, l.body))
	default:
		return wiretest.Value(l.r, ty, wiretest.Options{Unknown: oneIn(l.r, 2), Short: !oneIn(l.r, 100)})
	}
}

func (l *life) anyMeta() cty.Value {
	if l.schema.ProviderMeta.Body == nil {
		return cty.NilVal
	}
	return wiretest.Value(l.r, l.schema.ProviderMeta.Body.ImpliedType(), wiretest.Options{Unknown: true, Short: !oneIn(l.r, 100)})
}

func (l *life) anyIdentity() cty.Value {
	ty, ok := l.judge.identities[l.typeName]
	switch {
	case !ok:
		return cty.NilVal
	case oneIn(l.r, 2):
		return l.identity
	default:
		return wiretest.Value(l.r, ty, wiretest.Options{Unknown: oneIn(l.r, 4), Short: !oneIn(l.r, 100)})
	}
}

func (l *life) bytes() []byte { return someBytes(l.r, l.private) }

// someBytes returns the stored bytes or one of documents, possibly changed, or nil.
func someBytes(r *rand.Rand, stored []byte) []byte {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return mutate(r, stored)
	case 2:
		return mutate(r, []byte(documents[r.IntN(len(documents))]))
	case 3:
		return []byte(documents[r.IntN(len(documents))])
	default:
		return stored
	}
}

// documents has states, identities and private data as JSON.
var documents = []string{
	`{"name":"old","title":"Old","body":"text of old","mode":420,"gone":true}`,
	`{"name":"a","text":"of a sheet"}`,
	`{"number":"7","name":"x"}`,
	`{"applied":{"name":"a","digest":"d","until":1,"sections":[{"heading":"x"}]},"data":{"module":"bQ=="}}`,
	`{"version":1,"id":"x","session":{"ID":"x","Renewals":1,"RenewAfter":3600000000000}}`,
	`{"path":"/a","content":"hello","mode":"0644","host":"local"}`,
	`{"filename":"/a","content":"hello","file_permission":"0644","directory_permission":"0755","id":"x"}`,
	`{"sections":[{"heading":"x","level":1,"notes":{"a":{"lines":[{"words":[{"word":"x"}]}]}}}],"link":[{"page":"a","rank":1}],"tags":["a"],"extra":{"type":"string","value":"x"}}`,
	`null`, `{}`, `[]`, `"x"`, ``,
}

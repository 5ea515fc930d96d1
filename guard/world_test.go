package guard_test

import (
	"context"
	"regexp"
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

// world has valid requests, as an engine sends them: first those during the lifecycle of one object,
// then those of the other families.
type world struct {
	validate        provider.ValidateResourceConfigRequest
	planCreate      provider.PlanResourceChangeRequest
	applyCreate     provider.ApplyResourceChangeRequest
	upgrade         provider.UpgradeResourceStateRequest
	upgradeIdentity provider.UpgradeResourceIdentityRequest
	read            provider.ReadResourceRequest
	planNoop        provider.PlanResourceChangeRequest
	planUpdate      provider.PlanResourceChangeRequest
	applyUpdate     provider.ApplyResourceChangeRequest
	planReplace     provider.PlanResourceChangeRequest
	planDestroy     provider.PlanResourceChangeRequest
	applyDestroy    provider.ApplyResourceChangeRequest
	importID        provider.ImportResourceStateRequest
	importIdentity  provider.ImportResourceStateRequest
	move            provider.MoveResourceStateRequest
	generate        provider.GenerateResourceConfigRequest

	readData       provider.ReadDataSourceRequest
	open           provider.OpenEphemeralResourceRequest
	renew          provider.RenewEphemeralResourceRequest
	call           provider.CallFunctionRequest
	list           provider.ListResourceRequest
	planAction     provider.PlanActionRequest
	invoke         provider.InvokeActionRequest
	configureStore provider.ConfigureStateStoreRequest
	readBytes      provider.ReadStateBytesRequest
	writeBytes     provider.WriteStateBytesRequest
	lock           provider.LockStateRequest
	getStates      provider.GetStatesRequest
}

func thingConfig(path, content string) cty.Value {
	hidden := cty.StringVal(secret)
	return cty.ObjectVal(values{
		"path": cty.StringVal(path), "content": cty.StringVal(content),
		"mode": cty.NullVal(cty.String), "size": cty.NullVal(cty.Number),
		"password": hidden, "token": hidden,
		"tags":    cty.MapVal(values{"a": cty.StringVal("1"), "b": cty.StringVal("2")}),
		"secrets": cty.MapVal(values{secret: hidden}),
		"words":   cty.ListVal([]cty.Value{cty.StringVal("x"), cty.StringVal("y")}),
		"settings": cty.ObjectVal(values{
			"level": cty.NumberIntVal(1), "pin": hidden, "note": cty.NullVal(cty.String), "once": hidden,
		}),
		"keys": cty.SetVal([]cty.Value{cty.ObjectVal(values{"name": cty.StringVal("n"), "key": hidden})}),
		"rule": cty.ListVal([]cty.Value{cty.ObjectVal(values{"name": cty.StringVal("r"), "note": cty.NullVal(cty.String)})}),
	})
}

func plainConfig(_, content string) cty.Value {
	return cty.ObjectVal(values{"name": cty.StringVal(content)})
}

func changeOf(typeName string, prior, config cty.Value, private []byte, id cty.Value) provider.PlanResourceChangeRequest {
	proposed := config
	if !config.IsNull() {
		proposed = objchange.ProposedNew(bodyOf(typeName), prior, config)
	}
	return provider.PlanResourceChangeRequest{
		TypeName: typeName, PriorState: prior, Config: config, ProposedNewState: proposed, PriorPrivate: private, PriorIdentity: id,
	}
}

func applyOf(ctx context.Context, f fake, req provider.PlanResourceChangeRequest) provider.ApplyResourceChangeRequest {
	planned := f.PlanResourceChange(ctx, req)
	return provider.ApplyResourceChangeRequest{
		TypeName: req.TypeName, PriorState: req.PriorState, Config: req.Config,
		PlannedState: planned.PlannedState, PlannedPrivate: planned.PlannedPrivate, PlannedIdentity: planned.PlannedIdentity,
	}
}

// newWorld returns requests about an object of a resource type, built from the responses of f, and the
// requests of the other families.
func newWorld(tb testing.TB, f fake, typeName string) world {
	tb.Helper()
	ctx := tb.Context()
	configured := thingConfig
	if typeName != "fake_thing" {
		configured = plainConfig
	}
	ty := bodyOf(typeName).ImpliedType()
	config, null, noID := configured("/a", "hello"), cty.NullVal(ty), cty.NullVal(thingIdentity().ImpliedType())

	var w world
	w.validate = provider.ValidateResourceConfigRequest{TypeName: typeName, Config: config}
	w.planCreate = changeOf(typeName, null, config, nil, noID)
	w.applyCreate = applyOf(ctx, f, w.planCreate)
	made := f.ApplyResourceChange(ctx, w.applyCreate)

	raw, err := ctyjson.Marshal(made.NewState, ty)
	if err != nil {
		tb.Fatal(err)
	}
	w.upgrade = provider.UpgradeResourceStateRequest{TypeName: typeName, Version: 1, RawStateJSON: raw}
	w.upgradeIdentity = provider.UpgradeResourceIdentityRequest{TypeName: typeName}
	if typeName == "fake_thing" {
		w.upgradeIdentity.RawIdentityJSON = []byte(`{"host":"local","path":"/a"}`)
	}
	w.read = provider.ReadResourceRequest{TypeName: typeName, PriorState: made.NewState, Private: made.Private, CurrentIdentity: made.NewIdentity}
	change := func(config cty.Value) provider.PlanResourceChangeRequest {
		return changeOf(typeName, made.NewState, config, made.Private, made.NewIdentity)
	}
	w.planNoop = change(config)
	w.planUpdate = change(configured("/a", "other"))
	w.applyUpdate = applyOf(ctx, f, w.planUpdate)
	w.planReplace = change(configured("/b", "hello"))
	w.planDestroy = change(null)
	w.applyDestroy = applyOf(ctx, f, w.planDestroy)
	w.importID = provider.ImportResourceStateRequest{TypeName: typeName, ID: "/a", Identity: noID}
	w.importIdentity = provider.ImportResourceStateRequest{TypeName: typeName, Identity: identityOf(cty.NullVal(cty.String), cty.StringVal("/a"))}
	w.move = provider.MoveResourceStateRequest{SourceTypeName: "other_thing", SourceStateJSON: []byte(`{}`), TargetTypeName: typeName}
	w.generate = provider.GenerateResourceConfigRequest{TypeName: typeName, State: made.NewState}
	w.families()
	return w
}

var idInSummary = regexp.MustCompile(`\(([A-Z]+-\d{3})\)$`)

// brokenRules returns the sorted IDs of the rules that messages are about, without
// repetitions. For a message about no rule, it includes the summary.
func brokenRules(messages diag.Diagnostics) []string {
	var found []string
	for _, m := range messages {
		if id := idInSummary.FindStringSubmatch(m.Summary); id != nil {
			found = append(found, id[1])
		} else {
			found = append(found, m.Summary)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

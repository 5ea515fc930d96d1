package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/objchange"
	"github.com/posixform/terraform-provider-posix/provider"
)

const (
	rpcValidateData = "ValidateDataResourceConfig"
	rpcReadData     = "ReadDataSource"
)

const (
	dataDeferred   ID = "DATA-001"
	dataNull       ID = "DATA-002"
	dataUnknown    ID = "DATA-003"
	dataMisfit     ID = "DATA-004"
	dataConfigured ID = "DATA-005"
)

func dataRules() []Rule {
	return []Rule{
		{
			ID: dataDeferred, RPC: rpcReadData, Subject: SubjectAnswer, Title: "was put off, which the client does not allow",
			Why:    "A client that cannot wait has no data to go on with.",
			Fix:    "Set Deferred only if ClientCapabilities.DeferralAllowed is true in the request; else answer or return an error.",
			Source: "§14, Terraform: \"Provider deferred changes when Terraform did not allow deferrals\"; OpenTofu ignores it",
		},
		{
			ID: dataNull, RPC: rpcReadData, Subject: SubjectAnswer, Title: "has neither data nor an error",
			Why:    "Configuration refers to attributes of the data, which null does not have.",
			Fix:    "Return an object; if there is nothing to be found, return an error that says so.",
			Source: "§14, both: \"Provider produced null object\"",
		},
		{
			ID: dataUnknown, RPC: rpcReadData, Subject: SubjectAttribute, Title: "is unknown after data was read",
			Why:    "Data is read when all that it depends on is known, so nothing is left that could make it known later.",
			Fix:    "Give each attribute a value or null.",
			Source: "§14, both: \"Provider produced invalid object\"",
		},
		{
			ID: dataMisfit, RPC: rpcReadData, Subject: SubjectAttribute, Title: "does not fit the schema after data was read",
			Why:    "Neither engine can use an object of another type than the schema's.",
			Fix:    "Return all attributes of the schema, no others, each of its type.",
			Source: "§14, both: \"Provider produced invalid object\"",
		},
		{
			ID: dataConfigured, RPC: rpcReadData, Subject: SubjectAttribute, Title: "is not what is configured after data was read",
			Why:    "Whoever refers to an attribute that is configured gets another value than the configuration says, and nobody is told.",
			Fix:    "Return what is configured as it is; declare the attribute as computed if the provider gives its value where it is unset, and give what was found an attribute of its own.",
			Source: "§14 and §21, neither engine: never compared",
		},
	}
}

// ValidateDataResourceConfig is part of [provider.Interface].
func (g *guarded) ValidateDataResourceConfig(ctx context.Context, req provider.ValidateDataResourceConfigRequest) provider.ValidateDataResourceConfigResponse {
	resp, crash := ask(ctx, g, rpcValidateData, req.TypeName, g.inner.ValidateDataResourceConfig, req)
	resp.Diagnostics = g.messages(ctx, rpcValidateData, g.load(ctx).data.of(req.TypeName), resp.Diagnostics, crash)
	return resp
}

// ReadDataSource is part of [provider.Interface].
func (g *guarded) ReadDataSource(ctx context.Context, req provider.ReadDataSourceRequest) (resp provider.ReadDataSourceResponse) {
	resp, crash := ask(ctx, g, rpcReadData, req.TypeName, g.inner.ReadDataSource, req)
	if crash != nil {
		return provider.ReadDataSourceResponse{Diagnostics: crash}
	}
	t := g.load(ctx).data.of(req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcReadData, t.name, func() { judgeData(t, &req, &resp) }); crash != nil {
		return provider.ReadDataSourceResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeData(t *resourceType, req *provider.ReadDataSourceRequest, resp *provider.ReadDataSourceResponse) {
	r := newReport(rpcReadData, t)
	failed := resp.Diagnostics.HasErrors()
	r.diagnostics(t, resp.Diagnostics)
	if resp.Deferred != nil && !failed && !req.ClientCapabilities.DeferralAllowed {
		r.add(dataDeferred, nil, "%s of %s was put off for the reason %q.", rpcReadData, t.name, resp.Deferred.Reason)
	}
	switch {
	case !r.lawfulSchema(t), failed:
	case resp.Deferred != nil:
		if !t.state.conforms(resp.State) {
			r.misfits(t, resp.State, dataMisfit)
		}
	default:
		r.given(t, req.Config, resp.State, givenRules{dataNull, dataUnknown, dataMisfit, dataConfigured})
	}
	if r.broken() {
		*resp = provider.ReadDataSourceResponse{Diagnostics: resp.Diagnostics}
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// givenRules are the ids of the rules that hold for an object which is made from
// a configuration and nothing else, as they are named for one kind of answer.
type givenRules struct{ null, unknown, misfit, configured ID }

// given judges such an object. As in both engines one that is wrong by itself is
// not compared with anything.
func (r *report) given(t *resourceType, config, v cty.Value, rules givenRules) {
	if v.IsNull() && t.state.conforms(v) {
		r.add(rules.null, nil, "%s of %s answered %s.", r.rpc, t.name, describe(v, true))
		return
	}
	if r.state(t, v, stateRules{unknown: rules.unknown, misfit: rules.misfit}) != lawful {
		return
	}
	// It is a plan for a new object that leaves nothing open.
	for _, err := range objchange.AssertPlanValid(t.schema, cty.NilVal, config, v) {
		path, _ := pathOf(err)
		r.add(rules.configured, path, "Configured: %s. Came back: %s.",
			r.describe(path, valueAt(config, path)), r.describe(path, valueAt(v, path)))
	}
}

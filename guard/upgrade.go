package guard

import (
	"bytes"
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcUpgradeState = "UpgradeResourceState"

const (
	upgradeUnknown ID = "UPGRADE-001"
	upgradeMisfit  ID = "UPGRADE-002"
	upgradeSecret  ID = "UPGRADE-003"
	upgradeNull    ID = "UPGRADE-004"
)

func upgradeRules() []Rule {
	return []Rule{
		{
			ID: upgradeUnknown, RPC: rpcUpgradeState, Subject: SubjectAttribute, Title: "is unknown after the upgrade of a state",
			Why:    "A state has no unknown values: Terraform refuses the upgrade and OpenTofu makes the value null.",
			Fix:    "Give each attribute of the upgraded state a value or null.",
			Source: "§6, Terraform: \"Invalid resource state upgrade\"",
		},
		{
			ID: upgradeMisfit, RPC: rpcUpgradeState, Subject: SubjectAttribute, Title: "does not fit the schema after the upgrade of a state",
			Why:    "Neither engine can store an object of another type than the schema's.",
			Fix:    "Upgrade to the current schema: all its attributes, no others, each of its type.",
			Source: "§6, both: \"Invalid resource state upgrade\", \"Invalid resource state transformation\"",
		},
		{
			ID: upgradeSecret, RPC: rpcUpgradeState, Subject: SubjectAttribute, Title: "is write-only, but has a value after the upgrade of a state",
			Why:    "The value would be written into the state, which is what write-only is there to prevent.",
			Fix:    "Set write-only attributes to null in the upgraded state.",
			Source: "§6, both: \"Invalid resource state upgrade\", \"Invalid provider response\"",
		},
		{
			ID: upgradeNull, RPC: rpcUpgradeState, Subject: SubjectState, Title: "is gone after the upgrade of a state",
			Why:    "Both engines accept it and forget the object without a word, though it still exists.",
			Fix:    "Return the upgraded object, or an error that says why it cannot be upgraded.",
			Source: "§6 and §22, neither engine: the object is lost",
		},
	}
}

// UpgradeResourceState is part of [provider.Interface].
func (g *guarded) UpgradeResourceState(ctx context.Context, req provider.UpgradeResourceStateRequest) (resp provider.UpgradeResourceStateResponse) {
	resp, crash := ask(ctx, g, rpcUpgradeState, req.TypeName, g.inner.UpgradeResourceState, req)
	if crash != nil {
		return provider.UpgradeResourceStateResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcUpgradeState, req.TypeName, func() { judgeUpgrade(t, &req, &resp) }); crash != nil {
		return provider.UpgradeResourceStateResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeUpgrade(t *resourceType, req *provider.UpgradeResourceStateRequest, resp *provider.UpgradeResourceStateResponse) {
	r := newReport(rpcUpgradeState, t)
	r.diagnostics(t, resp.Diagnostics)
	if !resp.Diagnostics.HasErrors() && r.lawfulSchema(t) {
		found := r.state(t, resp.UpgradedState, stateRules{upgradeUnknown, upgradeMisfit, upgradeSecret})
		if found == lawful && resp.UpgradedState.IsNull() && holdsState(req) {
			r.add(upgradeNull, nil, "There was a stored state of version %d, and %s of %s answered null.", req.Version, rpcUpgradeState, t.name)
		}
	}
	if r.broken() {
		resp.UpgradedState = cty.NilVal
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

// holdsJSON reports whether a stored JSON document has data in it.
// holdsState reports whether an object is stored. Where both forms of a state are
// there, it is the JSON.
func holdsState(req *provider.UpgradeResourceStateRequest) bool {
	return holdsJSON(req.RawStateJSON) || len(req.RawStateJSON) == 0 && len(req.RawStateFlatmap) > 0
}

func holdsJSON(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && string(raw) != "null"
}

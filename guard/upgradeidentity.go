package guard

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
)

const rpcUpgradeIdentity = "UpgradeResourceIdentity"

const (
	upgradeIdentityUnknown    ID = "IDENTITY-001"
	upgradeIdentityMisfit     ID = "IDENTITY-002"
	upgradeIdentityNull       ID = "IDENTITY-003"
	upgradeIdentityUnexpected ID = "IDENTITY-004"
)

func upgradeIdentityRules() []Rule {
	return []Rule{
		{
			ID: upgradeIdentityUnknown, RPC: rpcUpgradeIdentity, Subject: SubjectIdentity, Title: "is unknown after its upgrade",
			Why:    "An identity is stored with the state, which has no unknown values.",
			Fix:    "Give each attribute of the upgraded identity a value or null.",
			Source: "§7, Terraform: \"Invalid resource identity upgrade\"; OpenTofu cannot encode it",
		},
		{
			ID: upgradeIdentityMisfit, RPC: rpcUpgradeIdentity, Subject: SubjectIdentity, Title: "does not fit the identity schema after its upgrade",
			Why:    "An identity of another type can be neither stored nor compared.",
			Fix:    "Upgrade to the current identity schema: all its attributes, no others, each of its type.",
			Source: "§7, Terraform: \"Invalid resource identity upgrade\"",
		},
		{
			ID: upgradeIdentityNull, RPC: rpcUpgradeIdentity, Subject: SubjectIdentity, Title: "is gone after its upgrade",
			Why:    "OpenTofu refuses it, and Terraform forgets what the object was found by.",
			Fix:    "Return the upgraded identity, or an error that says why it cannot be upgraded.",
			Source: "§7 and §22, OpenTofu: \"Provider returned no identity after upgrade\"",
		},
		{
			ID: upgradeIdentityUnexpected, RPC: rpcUpgradeIdentity, Subject: SubjectIdentity, Title: "was upgraded, but the type has no identity schema",
			Why:    "No engine can use an identity without its schema.",
			Fix:    "Declare the identity schema, or answer the upgrade with an error.",
			Source: "§7 and §22, OpenTofu: \"No identity schema found\"",
		},
	}
}

// UpgradeResourceIdentity is part of [provider.Interface].
func (g *guarded) UpgradeResourceIdentity(ctx context.Context, req provider.UpgradeResourceIdentityRequest) (resp provider.UpgradeResourceIdentityResponse) {
	resp, crash := ask(ctx, g, rpcUpgradeIdentity, req.TypeName, g.inner.UpgradeResourceIdentity, req)
	if crash != nil {
		return provider.UpgradeResourceIdentityResponse{Diagnostics: crash}
	}
	t := g.resource(ctx, req.TypeName)
	if t == nil {
		return resp
	}
	if crash = g.judging(ctx, rpcUpgradeIdentity, req.TypeName, func() { judgeUpgradeIdentity(t, &req, &resp) }); crash != nil {
		return provider.UpgradeResourceIdentityResponse{Diagnostics: with(resp.Diagnostics, crash)}
	}
	return resp
}

func judgeUpgradeIdentity(t *resourceType, req *provider.UpgradeResourceIdentityRequest, resp *provider.UpgradeResourceIdentityResponse) {
	r := newReport(rpcUpgradeIdentity, t)
	r.diagnostics(t, resp.Diagnostics)
	if !resp.Diagnostics.HasErrors() && r.lawfulSchema(t) {
		r.identity(t, resp.UpgradedIdentity, identityRules{upgradeIdentityUnknown, upgradeIdentityMisfit, upgradeIdentityUnexpected})
		// Terraform asks without data where a type got its first identity
		// schema; then there is nothing to lose.
		if resp.UpgradedIdentity.IsNull() && holdsJSON(req.RawIdentityJSON) {
			r.add(upgradeIdentityNull, nil, "There was a stored identity of version %d, and %s of %s answered null.", req.Version, rpcUpgradeIdentity, t.name)
		}
	}
	if r.broken() {
		resp.UpgradedIdentity = cty.NilVal
	}
	if r.list != nil {
		resp.Diagnostics = r.addTo(resp.Diagnostics)
	}
}

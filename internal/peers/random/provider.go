package random

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// Release is a release of the provider: the schemas of passwords and strings differ.
type Release int

// The releases. First has passwords with number instead of numeric, and without hash;
// Current upgrades them.
const (
	First Release = iota
	Current
)

type randomProvider struct{ release Release }

var _ provider.ProviderWithEphemeralResources = (*randomProvider)(nil)

// New returns the provider of the release.
func New(release Release) provider.Provider { return &randomProvider{release} }

func (*randomProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "random"
}

func (*randomProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{}
}

func (*randomProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (*randomProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *randomProvider) Resources(context.Context) []func() resource.Resource {
	all := []func() resource.Resource{newID, newInteger, newPet, newShuffle, newUUID}
	if p.release == First {
		return append(all, newFirstPassword)
	}
	return append(all, newString, newPassword)
}

func (*randomProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{newEphemeralPassword}
}

package sdkv2

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"github.com/posixform/terraform-provider-posix/bench/sidebyside/store"
)

// New returns a protocol server with the provider.
func New(ctx context.Context) (tfplugin.ProviderServer, error) {
	return tf5to6server.UpgradeServer(ctx, newProvider().GRPCProvider)
}

func newProvider() *schema.Provider {
	return &schema.Provider{
		Schema: map[string]*schema.Schema{
			"directory": {
				Description: "Directory of the sites, which must exist.",
				Type:        schema.TypeString,
				Required:    true,
			},
		},
		ResourcesMap: map[string]*schema.Resource{
			"web_site": resourceSite(),
		},
		ConfigureContextFunc: configure,
	}
}

func configure(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
	sites, err := store.Open(d.Get("directory").(string))
	if err != nil {
		return nil, diag.FromErr(err)
	}
	return sites, nil
}

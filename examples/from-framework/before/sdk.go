package before

import (
	"context"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"

	"example.com/from-framework/shop"
)

// [sdk

// The descriptions of package runtime are Markdown, and all servers must describe the provider block in the same format.
func init() { //nolint:gochecknoinits // a global of the library
	schema.DescriptionKind = schema.StringMarkdown
}

// SDKServer returns a server of protocol 6 with those resource types on SDKv2 that have not been migrated yet.
func SDKServer(s *shop.Shop, types map[string]*schema.Resource) (tfplugin.ProviderServer, error) {
	p := &schema.Provider{
		Schema: map[string]*schema.Schema{
			"endpoint": {Type: schema.TypeString, Optional: true, Description: "Address of the shop."},
		},
		ResourcesMap:         types,
		ConfigureContextFunc: func(context.Context, *schema.ResourceData) (any, diag.Diagnostics) { return s, nil },
	}
	return tf5to6server.UpgradeServer(context.Background(), p.GRPCProvider)
}

// sdk]

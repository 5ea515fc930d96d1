package protocol5

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf6to5server"
)

// Serve is a value for the field Protocol of serve.Config. If the schema has a nested
// attribute, it returns an error that names the first one, and serves nothing.
func Serve(address string, server tfplugin.ProviderServer) error {
	downgraded, err := tf6to5server.DowngradeServer(context.Background(), func() tfplugin.ProviderServer { return server })
	if err != nil {
		return fmt.Errorf("serve protocol 5, which has blocks (tag option block) but no nested attributes: %w", err)
	}
	return tf5server.Serve(address, func() tfprotov5.ProviderServer { return downgraded })
}

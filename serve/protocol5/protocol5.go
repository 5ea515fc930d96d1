// Package protocol5 serves a provider with version 5 of the plugin protocol.
//
//	func main() {
//		serve.Main(serve.Config{Addresses: addresses, Provider: build, Protocol: protocol5.Serve})
//	}
//
// A provider needs it only if its earlier releases announce version 5, for example in a
// registry: every OpenTofu, and Terraform since 1.0, supports version 6, which package serve uses.
//
// Version 5 has no nested attributes: the structs of a schema must be blocks, which the tag
// option block of package runtime declares.
//
// Elsewhere: package serve has the main function of a provider.
package protocol5

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/protoversion"
)

// Serve is a value for the field Protocol of serve.Config. If the schema has a nested
// attribute, it returns an error that names the first one, and serves nothing.
func Serve(address string, server tfplugin.ProviderServer) error {
	downgraded, err := protoversion.Downgrade(context.Background(), server)
	if err != nil {
		return fmt.Errorf("serve protocol 5, which has blocks (tag option block) but no nested attributes: %w", err)
	}
	return tf5server.Serve(address, func() tfprotov5.ProviderServer { return downgraded })
}

// Package protocol5 serves a provider with version 5 of the plugin protocol.
//
//	func main() {
//		serve.Main(serve.Config{Addresses: addresses, Provider: build, Protocol: protocol5.Serve})
//	}
//
// A provider needs version 5 only if its earlier releases announce version 5, for example in a registry:
// all versions of OpenTofu, and Terraform since 1.0, support version 6, which package serve uses.
//
// Version 5 has no nested attributes: the structs of a schema must be blocks, which the tag
// option block of package runtime declares. It has no state stores either.
//
// Elsewhere: package serve has the main function of a provider.
package protocol5

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/internal/protoversion"
)

// Serve serves server with version 5 of the plugin protocol. It is a value for the field Protocol of
// serve.Config. If the schema has a nested attribute or a state store, Serve returns an error that
// names one of them, and serves nothing.
func Serve(address string, server tfplugin.ProviderServer) error {
	ctx := context.Background()
	schema, err := server.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	if stores := slices.Sorted(maps.Keys(schema.StateStoreSchemas)); len(stores) > 0 {
		return fmt.Errorf("serve protocol 5, which has no state stores: the provider has the state store %q", stores[0])
	}
	downgraded, err := protoversion.Downgrade(ctx, server)
	if err != nil {
		return fmt.Errorf("serve protocol 5, which has blocks (tag option block) but no nested attributes: %w", err)
	}
	return tf5server.Serve(address, func() tfprotov5.ProviderServer { return downgraded })
}

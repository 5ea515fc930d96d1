package after

import (
	"context"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/runtime"

	"example.com/from-framework/shop"
)

// [block

// Block is the provider block of the shop.
type Block struct {
	Endpoint *string
}

// Descriptions omits the block itself, because SDKv2 has no description for it.
func (*Block) Descriptions() map[string]string {
	return map[string]string{"Block.Endpoint": "Address of the shop."}
}

// block]

// New returns the provider with those resource types that have been migrated.
func New(s *shop.Shop, moved map[string]runtime.ResourceRegistration) (provider.Interface, error) {
	return runtime.New(runtime.Definition{
		Name:      "shop",
		Config:    runtime.MakeConfig(func(context.Context, *Block) (*shop.Shop, error) { return s, nil }),
		Resources: moved,
	})
}

// Command from-framework is a provider that moves from terraform-plugin-framework and SDKv2 to
// package runtime one resource type at a time: shop_item has moved; shop_shelf is on the
// framework and shop_order on SDKv2. The test runs each release of the move. It is a module of
// its own, so that the provider of this repository does not depend on these libraries.
//
// Elsewhere: docs/from-framework.md shows its code.
package main

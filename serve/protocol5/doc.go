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

// Package published runs published acceptance suites on the engines of package acctest: a
// suite is migrated as its team would migrate it, by replacing resource.Test with
// acctest.Test. The suites are those of the providers hashicorp/time and hashicorp/local,
// and of terraform-plugin-testing, which has test providers on the legacy type system and
// directly on the protocol.
//
// The suites of hashicorp/time and hashicorp/local also run against the ports of these
// providers in examples/ports: functions in testdata replace those that return the provider.
//
// A suite is part of a published module, whose version is in go.mod and whose checksum is
// in go.sum. No part of it is stored here: the test makes a copy in a temporary
// directory, replaces the calls there, and runs go test.
//
// The package is a separate module, apart from the other suites, because the published
// providers determine its versions of Go and dependencies.
package published

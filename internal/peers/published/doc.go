// Package published runs the acceptance suites that other providers publish on
// the engines of package acctest: a suite is moved as its team would move it, by
// having acctest.Test where it had resource.Test.
//
// A suite comes with the module of its provider, whose version and checksum
// go.mod and go.sum have. Nothing of it is kept here: its test makes a copy in a
// temporary folder, replaces the calls there, and has go test run it.
//
// It is a module of its own, beside the one of the other suites, since a
// published provider decides by itself which Go and which versions it needs.
package published

// Package peers is a module with providers of other kinds that run on the in-process
// engine, as their teams would run them after moving their acceptance suites to package
// acctest.
//
// They have no published equivalent: a resource with all features of the legacy type
// system on terraform-plugin-sdk, and that provider muxed with a part on
// terraform-plugin-framework (package legacy). Published suites run unchanged (published).
//
// It is a separate module, so that users of the provider do not depend on these SDKs.
// Elsewhere: bench/accspeed measures the speed of the engines; the results are in
// docs/benchmarks.md.
package peers

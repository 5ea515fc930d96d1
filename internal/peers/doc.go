// Package peers is a module with providers that use other SDKs and run on the in-process
// engine, as their teams would run them after moving their acceptance suites to package
// acctest.
//
// Package legacy has providers without a published equivalent: one on
// terraform-plugin-sdk with a resource that uses the features of the legacy type system,
// and the same provider muxed with a part on terraform-plugin-framework. Package published, which
// is another module, runs published suites on the engines of package acctest.
//
// Peers is a separate module, so that users of the provider do not depend on these SDKs.
//
// Elsewhere: bench/accspeed measures the speed of the engines; the results are in
// docs/benchmarks.md.
package peers

// Package peers is a module with providers of other kinds that run on the in-process
// engine, as their teams would run them after moving their acceptance suites to package
// acctest.
//
// They are typical providers, built with the usual SDKs: random values with
// terraform-plugin-framework (package random), null resources with
// terraform-plugin-sdk (null), times with the same (clock), a resource with all features
// of the legacy type system (legacy), and all of them muxed into one (muxed). They are
// written from the documentation of the originals. The published suite of hashicorp/time
// runs unchanged (published).
//
// Every suite uses package acc, which selects the engine.
//
// It is a separate module, so that users of the provider do not depend on these SDKs.
// Elsewhere: bench/accspeed measures the speed of the engines; the results are in
// docs/benchmarks.md.
package peers

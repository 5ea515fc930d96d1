// Package peers is the module in which other people's providers meet the
// in-process engine: what a provider's team sees that moves its acceptance
// suite to package acctest.
//
// The providers are of the kinds that are most used, built with the tools that
// they are built with: random values with terraform-plugin-framework (package
// random), null resources with terraform-plugin-sdk (null), times with the same
// (clock), a resource with every shape that the legacy type system knows
// (legacy), and all of them muxed into one (muxed). They are written here from
// what their documentation says that they do. The published suite of
// hashicorp/time runs as well, as its module has it (published).
//
// Every suite goes through package acc, which decides the engine.
//
// It is a module of its own so that no user of the provider depends on the
// tools that are compared with. Elsewhere: the speed of the engines is measured
// by bench/accspeed and stands in docs/benchmarks.md.
package peers

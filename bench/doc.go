// Package bench compares three providers of the same resources and functions on
// the same requests: a hand-written server on terraform-plugin-go and go-cty
// (package floor, what an expert would write without any framework), the same on
// terraform-plugin-framework (package framework), and the same on this
// repository's typed runtime with its guard (package ours).
//
// The resources are a file, and a fleet of nested objects in a list, a map or a
// set; a further provider has a thousand resource types, of which the schema is
// asked for.
//
// It holds the requests and the answers that all three have to give; a speed
// is compared only between servers that answer alike, and a test checks that.
// It is a module of its own so that the framework is no dependency of the
// provider.
//
// Elsewhere: cmd/ratios measures RPCs interleaved in one process, cmd/applybench
// measures whole OpenTofu runs, package report writes docs/benchmarks.md.
package bench

// Package bench compares three providers of the same resource on the same
// requests: a hand-written server on terraform-plugin-go and go-cty (package
// floor, what an expert would write without any framework), the same resource
// on terraform-plugin-framework (package framework), and the same resource on
// this repository's typed runtime with its guard (package ours).
//
// It holds the requests and the answers that all three have to give; a speed
// is compared only between servers that answer alike, and a test checks that.
// It is a module of its own so that the framework is no dependency of the
// provider.
//
// Elsewhere: cmd/ratios measures RPCs interleaved in one process, cmd/applybench
// measures whole OpenTofu runs, package report writes docs/benchmarks.md.
package bench

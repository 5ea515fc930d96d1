// Package bench compares three providers of the same resources and functions on the same
// requests: a server written by hand on terraform-plugin-go and go-cty (package floor),
// one on terraform-plugin-framework (package framework), and one on this repository's
// runtime with its guard (package ours).
//
// The resources are a file, and a fleet of nested objects in a list, a map or a set. A
// further provider has a thousand resource types, and only its schema is requested.
//
// The package has the requests and the answers that all three must give, which a test
// checks. It is in a separate module, so that the provider does not depend on the framework.
//
// Elsewhere: cmd/ratios measures RPCs in turn in one process; cmd/runbench measures whole
// runs of OpenTofu; package report writes docs/benchmarks.md.
package bench

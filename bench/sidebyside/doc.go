// Package sidebyside compares one resource on this repository's runtime (package ours), on
// terraform-plugin-framework (package framework) and on terraform-plugin-sdk/v2 (package
// sdkv2). Each of these packages has the resource and its provider; all use one backend (package store).
//
// Package sidebyside has scenarios, which act as Terraform and call the protocol server of each library.
// The package finds the component that detects each mistake of an author (package mistake), and counts lines of
// code. The command bench/cmd/sidebyside writes the results to
// docs/side-by-side.md. A test fails if the page is stale.
//
// Elsewhere: package bench measures the speed of resources on terraform-plugin-go, on the framework and
// on the runtime.
package sidebyside

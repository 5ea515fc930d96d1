// Package sidebyside compares one resource on this repository's runtime (package ours), on
// terraform-plugin-framework (package framework) and on terraform-plugin-sdk/v2 (package
// sdkv2). Each is complete with its provider; all use one backend (package store).
//
// It has scenarios, which act as Terraform and call the protocol server of each library; mistakes of
// an author, and the component that detects each of them (package mistake); and the rule by
// which code is counted. The command bench/cmd/sidebyside writes the results to
// docs/side-by-side.md. A test fails if the page is stale.
//
// Elsewhere: package bench measures the speed of such resources.
package sidebyside

// Package demo is a provider that uses most features of package runtime: every family of
// the protocol and every optional method. It manages a notebook, which is a directory
// of JSON files, so that other processes can read and change its objects.
//
// It is not an example for beginners (see examples/note and docs/authoring.md), but a
// test of these features together: its tests call it over gRPC and run it under OpenTofu
// or Terraform.
//
// Elsewhere: internal/cmd/demo is the program of make demo, which shows the posix provider.
package demo

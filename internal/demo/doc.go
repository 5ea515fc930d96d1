// Package demo is a provider that uses everything of package runtime: every
// family of the protocol and every optional method. It manages a notebook, which
// is a folder of JSON files, so that what it does can be looked at, broken and
// found again by another process.
//
// It is no example to begin with (examples/note and docs/authoring.md are), but
// the proof that the parts work together: its tests drive it over gRPC with
// client.Dial, and under OpenTofu or Terraform for what they have.
package demo

// Package sysctl is posix_sysctl: a setting of the kernel, as it is now and as it
// is when the host starts again.
//
// It decides how keys and values are written, what the kernel has to answer, and
// what becomes of a setting that is not managed any more. Package resources registers
// it.
//
// Invariants: no key leads out of /proc/sys; a value that the kernel takes for
// another one is not kept; a file is one's own, with one key.
//
// Elsewhere: how a file is replaced is package textedit.
package sysctl

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Sysctl Identity Output

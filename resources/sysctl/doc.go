// Package sysctl is the resource posix_sysctl: a kernel parameter, its current value
// and its value at boot.
//
// It decides how keys and values are normalised, how a value is verified, and what is
// restored on destroy.
//
// Invariants: no key leads to a path outside of /proc/sys; a value that the kernel changes is
// reverted; a managed file has exactly one key.
//
// Elsewhere: package textedit replaces the file.
package sysctl

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Sysctl Identity Output

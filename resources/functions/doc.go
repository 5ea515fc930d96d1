// Package functions has the functions of the posix provider: file modes, shell quoting, and
// encoding and decoding of configuration files.
//
// It decides how each format is interpreted if programs disagree, and which of several
// equivalent texts is written. Package resources registers the functions in [All].
//
// Invariants:
//   - A function depends only on its arguments: no host, no environment, no clock. Equal
//     arguments give equal bytes; maps are written in the order of their keys.
//   - Decoding an encoded value returns that value.
//   - A value that a format cannot represent is an error, and so is a text that the
//     programs that read a format interpret differently.
//   - An attribute that is null is left out.
//   - Arguments may be secrets, and clients show errors: an error names lines and keys, and
//     no value.
//
// Elsewhere: package runtime handles unknown and null arguments; host.Mode is the type of
// file modes, without a symbolic form
package functions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mode ShellQuote INIEncode INIDecode EnvEncode EnvDecode SystemdUnit HostsFile

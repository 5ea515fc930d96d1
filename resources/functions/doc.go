// Package functions has the functions of the posix provider: file modes, words for a
// shell, and the text of files that programs on a host read.
//
// It decides how to interpret a text that programs read in different ways, and which of
// several equivalent texts to write.
//
// Invariants:
//   - The result depends on the arguments only: not on a host, the environment or a
//     clock. Maps are written in the order of their keys.
//   - Decoding an encoded value returns that value.
//   - A value that cannot be encoded unambiguously is an error, and so is a text that
//     the programs of a format read differently.
//   - Null attributes are left out.
//   - Errors contain line numbers, keys and modes, but no other values, since arguments may
//     be sensitive.
//
// Elsewhere: unknown and null arguments are handled by package runtime; host.Mode is a
// mode without a symbolic form.
package functions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mode ShellQuote INIEncode INIDecode EnvEncode EnvDecode SystemdUnit HostsFile

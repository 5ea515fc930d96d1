// Package functions has the functions of the posix provider, for file modes, words of a
// shell command, and the text of files that programs on a host read.
//
// It decides how to interpret a text that programs read in different ways, and which of
// several equivalent texts to write.
//
// Invariants:
//   - The result depends on the arguments only: not on a host, the environment or a
//     clock. The keys of a map are written in a fixed order.
//   - Decoding an encoded value returns that value, without what was left out.
//   - A value that cannot be encoded unambiguously is an error, and so is an environment
//     file that a shell and systemd read differently.
//   - A variable, key or setting whose value is null is left out.
//   - Errors contain line numbers, names of sections, keys, modes and codes of control characters, but
//     nothing else from arguments, since arguments may be sensitive.
//
// Elsewhere: package runtime handles unknown arguments; host.Mode is a mode without a
// symbolic form.
package functions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mode ShellQuote INIEncode INIDecode EnvEncode EnvDecode SystemdUnit HostsFile

// Package functions is what the posix provider computes for configurations:
// modes, words for a shell, and the text of files that programs on a host read.
//
// It decides what each format means where programs disagree about it, and which
// of the texts that mean the same is written. Package resources registers what
// [All] has.
//
// Invariants:
//   - A function knows nothing but its arguments: no host, no environment, no
//     clock. Equal arguments give equal bytes; maps are written in the order of
//     their keys.
//   - What is decoded of what was encoded is what was encoded.
//   - What cannot be written so that it is read as it was is an error, never
//     something else. So is what the readers of a format read differently.
//   - An attribute that is null is left out.
//   - Arguments may be secrets, and clients show errors: an error names lines and
//     keys, and no value.
//
// Elsewhere: what is unknown, or null in the place of an argument, is dealt with
// by package runtime. The modes of files are host.Mode, which has no symbolic form.
package functions

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mode ShellQuote INIEncode INIDecode EnvEncode EnvDecode SystemdUnit HostsFile

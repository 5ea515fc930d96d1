// Package account is posix_user and posix_group: the local accounts of a host, as
// resources, as a data source and as searches.
//
// It decides what an account is to be, which tools change it (those of the shadow
// suite, or those of busybox where there is nothing else), and what their errors
// mean. Package resources registers it.
//
// Invariants:
//
//   - Whatever is asked, the answer is one round trip: one script reads the files
//     of accounts whole.
//   - The files are changed by the system's own tools alone, which know its locks,
//     one at a time on each host.
//   - Only what is in /etc/passwd and /etc/group is managed. What a directory
//     service adds to that is told from it.
//   - A hash of a password is read where one is managed, and goes to a tool through
//     its standard input. It is in no argument, message or log.
//   - An account that is there already is taken over where it is as configured, and
//     never changed by a create.
//
// Elsewhere: how a tool is run is package remotecmd; keys for SSH and rights to use sudo
// are other resources.
package account

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe User UserOutput Group GroupOutput UserLookup UserFacts Filter Users Groups

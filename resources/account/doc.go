// Package account is posix_user and posix_group: the local accounts of a host, as
// resources, a data source and list resources.
//
// It decides how an account differs from its configuration, which tools change it (those
// of the shadow suite, or those of busybox if there are no others), and how to explain
// their errors. Package resources registers its types.
//
// Invariants:
//
//   - A read takes one round trip: one script reads the account files.
//   - Only the host's own tools change these files, because they use the right locks, and only
//     one at a time runs on each host.
//   - Only accounts in /etc/passwd and /etc/group are managed. Accounts of directory
//     services are recognised and rejected.
//   - A password hash is only read if one is managed, or for a change if locked is set, and
//     is passed to a tool through standard input. No argument, message or log contains it.
//   - An existing account is adopted if it matches the configuration. A create never changes an
//     existing account.
//   - If a create runs several tools, one script runs them. It continues if the connection is lost
//     or the provider is killed, so that the next create can adopt the account.
//
// Elsewhere: package remotecmd runs tools; SSH keys and sudo rules are other resources.
package account

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe User UserOutput Group GroupOutput UserLookup UserFacts Filter Users Groups

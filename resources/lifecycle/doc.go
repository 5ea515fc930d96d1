// Package lifecycle is what all resources on hosts have in common: finding the host,
// locking the object, noticing objects that exist already or that another resource of
// the same run created, and remembering what state has.
//
// [Hosts] is the provider's configuration. A type registered with [Resource] implements
// [Object]; its methods get a [Scope] and do only what is particular to the type.
//
// Invariants:
//
//   - A host is found by its name or not at all: there is no fallback from a name that
//     does not exist.
//   - Create, Update and Delete of one object never run at the same time.
//   - Delete does not remove an object that another resource of this run created in the
//     same place.
//   - A plan of a create fails early for what can be checked on the host (Preflight),
//     and is made without the check where the host cannot be reached yet.
//
// Elsewhere: names of hosts, paths and identities are package address; what a host can
// do is package host; mode and owner are package access.
package lifecycle

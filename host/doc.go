// Package host is the contract between resources and the machines they manage:
// files, users and commands of one POSIX host.
//
// [Host] is what every implementation does: host/local is the machine the
// provider runs on, host/memory is a file system for unit tests, and further
// ones reach a machine over a network. Resources call it; hosttest.Run states
// the contract as tests and is run against each implementation. An extra power
// is a one-method optional interface with a function that falls back to the
// plain methods:
//
//   - [Digester], used by [Digest]
//   - [ParentMaker], used by [MakeParents]
//   - [TypedRemover], used by [RemoveOnly]
//   - [Dialer], used by [Dial]
//   - [Resetter], used by [Reset]
//   - [TreeReader], used by [ReadTree]
//   - [TreeWriter], used by [WriteTree]
//
// Invariants of every implementation:
//
//   - A path is absolute and clean ([CheckPath]) and is a string of bytes: any
//     byte but NUL and slash may be in a name, and nothing is normalised.
//   - The last element of a path is never followed when it is a symbolic link;
//     the directories before it are.
//   - Errors are [*Error]. Only a proven absence is [fs.ErrNotExist]; a
//     permission error never is.
//   - A file's content appears whole or not at all, and is at no moment
//     readable to anyone whom neither the mode nor the owner asked for allows.
//   - Methods may be called from many goroutines at once, and return early with
//     the context's error when it ends; what they had begun is undone first.
//
// Elsewhere: how a host is configured, named and found is the provider's
// concern (package resources); this package and its implementations know no
// schema.
package host

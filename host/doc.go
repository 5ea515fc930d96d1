// Package host is the contract between resources and the hosts that they manage:
// files, users and commands of one POSIX host.
//
//	info, err := h.Lstat(ctx, "/etc/motd")
//	if errors.Is(err, fs.ErrNotExist) {
//		info, err = h.WriteFile(ctx, "/etc/motd", strings.NewReader("hello\n"), host.WriteOptions{})
//	}
//
// [Host] is implemented by host/local, the host that the provider runs on, by
// host/sshhost, a host over SSH, and by host/memory, a file system for unit tests.
// Resources call it; hosttest.Run states the contract as tests and is run against each
// implementation. An optional feature is an interface with one method and, except for
// [Editor], a function that accepts every host. For a host without the feature, [Dial] returns
// an error, [Reset] does nothing, [RunsAsRoot] returns false, and the other functions use the
// methods that every host has. The optional features are:
//
//   - [Digester], used by [Digest]
//   - [ParentMaker], used by [MakeParents]
//   - [TypedRemover], used by [RemoveOnly]
//   - [Dialer], used by [Dial]
//   - [Resetter], used by [Reset]
//   - [RootHost], used by [RunsAsRoot]
//   - [TreeReader], used by [ReadTree]
//   - [TreeWriter], used by [WriteTree]
//   - [Editor]
//
// Invariants of every implementation:
//
//   - A path is absolute and clean ([CheckPath]) and is a string of bytes: any
//     byte but NUL and slash may be in a name, and nothing is normalised.
//   - The last element of a path is never followed when it is a symbolic link; the directories
//     before it are. As root, a link among them that other users can change is an
//     [*UnsafeLinkError], unless the context comes from [WithFollowLinks].
//   - Errors are [*Error]. Only a proven absence is [fs.ErrNotExist]; a
//     permission error never is.
//   - A file's content appears whole or not at all, and is never readable by a user
//     whom the requested mode and owner do not allow.
//   - Methods are safe for concurrent use. When the context ends, they undo the steps
//     already done and return the context's error.
//
// Elsewhere: the packages below resources/ configure, name and find hosts; this package
// and its implementations do not depend on a schema.
package host

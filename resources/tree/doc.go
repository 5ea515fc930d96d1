// Package tree is posix_tree: a directory of a host that is kept equal to a local
// directory.
//
// It decides which files are copied and with which modes (source.go), what a plan shows
// (plan.go, changes.go), when existing objects are adopted (adopt.go), and in which order
// changes are applied (apply.go). Package resources registers it.
//
// The objects on the host are read with one operation, and stored as a [manifest] in one
// attribute: paths, types, modes, owners and half of each digest, compressed, so that 5,000
// files take about 200 KB of the state. A map would take three times as much, and plans
// would print all of it; other attributes show a digest of everything, counts, and the
// first changes. Private data would be lost if a run dies during an apply (record.go).
// Plans compare with the manifest, so repeated plans are the same.
//
// Invariants: links below the path are not followed; an apply changes only what the plan
// shows: a file that was changed on the host since the plan is an error before anything is
// done; files that the tree did not add are removed only if purge is configured and the
// plan shows it; each file is replaced in one step, and files that do not differ are not
// written.
//
// Elsewhere: package host reads and writes many files at once; package directory manages a
// single directory.
package tree

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tree Output

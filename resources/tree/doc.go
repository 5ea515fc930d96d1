// Package tree is the resource posix_tree: a directory of a host that is kept equal to
// a local directory.
//
// It decides which objects of the source are copied and with which modes (source.go),
// how a plan describes the changes (plan.go, changes.go), which existing objects are
// adopted (adopt.go), and the order of changes (apply.go).
//
// The objects of the host are read by one request and stored as a [manifest] in one
// attribute: paths, types, modes, owners and half of each digest, compressed, so that
// 5,000 files take about 200 KB of the state. A map would take three times that, and
// plans would print it; the other outputs show one digest, counts and the first
// changes. The manifest is not in private data, which is lost if a run is killed during an
// apply. A plan compares the source with the manifest, so that the plan is the same
// however often it is made, and can name the files that differ.
//
// Invariants: links on the host are not followed below the path; each file is replaced
// atomically, and unchanged files are not written. An update fails before anything is written
// if the type or content of a managed object, or the mode of one in the source, was changed on
// the host since the plan. A file or link that already has the content or target of the source
// is not an error. The tree removes only objects that it has created, adopted or imported, with
// three exceptions: objects that purge removes or replaces according to the plan, objects of
// another type in the place of managed ones, and, with overwrite, an object of another type at
// the path of the tree.
//
// Elsewhere: package host reads and writes files concurrently; package directory manages
// mode and owner of one directory.
package tree

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tree Output

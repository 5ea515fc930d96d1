// Package tree is posix_tree: a directory of a host that is kept equal to a local
// directory.
//
// It decides what of the directory is brought to the host and with which modes (source.go,
// glob.go), what a plan says of it (plan.go, changes.go), when something that is there already
// is ours to manage (adopt.go), and in which order it is changed (apply.go). Package resources
// registers it.
//
// What is there is read by one look at the host, and kept as a [manifest] in one attribute: paths,
// kinds, modes, owners and half of each digest, packed, so that 5,000 files take about
// 200 KB of the state. A map in the state would take three times that, and a plan would print
// all of it; in sight are one digest of all, counts, and the first of the changes. Private
// data would not outlive a run that dies in an apply (record.go). The
// manifest is what a plan compares with, so that it says the same however often it is made, and
// names each file that differs.
//
// Invariants: no link of the host is followed below the path; a plan names what an apply
// changes, and an apply changes nothing else: what was changed on the host since is an error
// before anything is done; nothing is removed that the tree has not brought, unless purge is
// in the configuration and the plan names it; each file is replaced in one step, and those
// that are as they should be are not touched.
//
// Elsewhere: how many files are read and written at once is package host; mode and owner of
// one directory is package directory.
package tree

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Tree Output

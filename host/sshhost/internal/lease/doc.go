// Package lease names temporary files on other hosts, so that leftovers can be distinguished
// from files that are being written.
//
// The writer cannot lock such a file. Instead, the variant in its name (see [host.TempPath])
// identifies the writer: host, process, and a random part, so that no two writers use the
// same name and a late rename cannot move another writer's incomplete file.
//
// Package remotefs uses this package.
//
// Invariant: a file of a running process of this host is never reported as a leftover
// before [Age].
//
// Elsewhere: temporary files of this host have locks, see host/local.
package lease

// Package lease names temporary files on other hosts, so that leftovers can be told from
// files that are being written.
//
// Such a file cannot be locked by its writer. Instead its name, a variant of
// [host.TempPath], tells who writes it: the host and the process, and something random,
// so that no two writers ever use one name and no late rename puts another writer's
// incomplete file in place.
//
// Package remotefs uses it.
//
// Invariant: what a live process of this host writes is never reported as left over
// before its time.
//
// Elsewhere: temporary files of this host have locks, see host/local.
package lease

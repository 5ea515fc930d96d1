// Package lease decides who writes a temporary file on another machine, and for
// how long it is left alone.
//
// Such a file can not be locked by its writer. Instead its name, a variant of
// [host.TempPath], tells who writes it: the machine and the process, and something random, so
// that no two writers ever use one name and nobody's late rename puts another's
// half-written file in place.
//
// Its users are the packages that write files over a connection.
//
// Invariant: what a live process of this machine writes is never said to be left
// over before its time.
//
// Elsewhere: temporary files of this machine have locks, see host/local.
package lease

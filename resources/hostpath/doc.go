// Package hostpath is what resources with a path do alike on a host: making parent
// directories, removing, and explaining errors with a remedy. Packages of resources
// call it.
//
// Invariants: what is of another type than expected is neither followed nor replaced.
//
// Elsewhere: the operations themselves are the host's.
package hostpath

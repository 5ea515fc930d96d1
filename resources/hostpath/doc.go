// Package hostpath has operations on paths that several resource types need: creating
// parent directories, removing, and adding remedies to errors.
//
// Invariants: an object of an unexpected type is not followed, and only RemoveOther removes it.
//
// Elsewhere: package host has the operations of a host.
package hostpath

// Package statefile reads and writes state files of version 4, the format that
// Terraform has used since version 0.12, and OpenTofu since its first release.
//
//	file, err := statefile.Read(r)
//	err = statefile.Write(file, w)
//
// Tests and tools use it to keep a state between runs or to pass a state to Terraform or OpenTofu.
// Package engine uses package states only.
//
// Invariants: equal states whose sensitive paths are in the same order are written as equal bytes. Only
// the newlines at the end differ from the bytes that OpenTofu writes. Unknown fields of a file are
// preserved. Errors are, or wrap, an [*Error] with the path in the file and without the values of attributes
// and outputs, except [ErrNoState] and errors of the reader or writer.
//
// Elsewhere: package engine upgrades objects of older schemas.
package statefile

// Package statefile reads and writes state files of version 4, the format that
// Terraform and OpenTofu have had since Terraform 0.12.
//
// Tests and tools that keep a state between runs, or hand one to the command
// line, call it. The engine works with package states alone.
//
// Invariants: the same state gives the same bytes, and those are what OpenTofu
// itself would write. What a file has that this package does not know is kept:
// reading and writing a file again loses nothing. Errors are [*Error] and name
// the place in the file; no value of the file is in their text.
//
// Elsewhere: upgrading objects of older schemas is the engine's.
package statefile

// Package fleet is a configuration of three machines over SSH, and a walk-through
// for who has none: README.md.
//
// It has only a test, which walks it.
//
// Elsewhere: the program that stands in for the machines is in servers.
package fleet

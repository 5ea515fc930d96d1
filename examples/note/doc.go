// Package note is a complete resource type in one short file, which README.md shows
// and the tests run.
//
// Elsewhere: the contract of a resource is package runtime.
package note

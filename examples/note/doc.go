// Package note is a complete resource type in one short file, which README.md shows
// and the tests run.
//
// Elsewhere: package runtime documents the contract of a resource.
package note

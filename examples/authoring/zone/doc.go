// Package zone is the provider that docs/authoring.md grows out of package
// first: the records and servers of a DNS zone, kept as files in a folder so
// that it runs anywhere and every step can be seen.
//
// The parts that the guide shows are between comments of the form "[name" and
// "name]"; the test of the folder above holds both against each other.
//
// Elsewhere: each power explained in full is package runtime.
package zone

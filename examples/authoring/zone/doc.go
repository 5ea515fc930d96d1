// Package zone is the complete provider of docs/authoring.md: the records and servers of a
// DNS zone, stored as files in a directory, so that it runs anywhere.
//
// The parts that the guide shows are between comments of the form "[name" and "name]"; the
// test in the parent directory compares them with the guide.
//
// Elsewhere: package runtime documents each method.
package zone

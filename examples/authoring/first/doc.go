// Command first is the provider of the first chapters of docs/authoring.md: one resource,
// as small as possible.
//
// A test builds it as described in the guide, in an empty directory and its own module, so
// it uses only code that the guide shows.
//
// Elsewhere: package zone has the complete provider.
package main

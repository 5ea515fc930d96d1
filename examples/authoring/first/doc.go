// Command first is the provider of the first chapters of docs/authoring.md: one resource,
// as small as possible.
//
// A test builds it as the guide says, in an empty directory and a module of its own, so it
// uses only what the guide shows.
//
// Elsewhere: package zone has the complete provider.
package main

// Command first is the provider of the first chapters of docs/authoring.md: one
// resource, complete and as small as it can be.
//
// A test builds it as the guide says, from an empty folder and in a module of
// its own, so it uses nothing but what the guide shows.
//
// Elsewhere: what it grows into is package zone.
package main

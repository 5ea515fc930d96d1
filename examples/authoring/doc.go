// Package authoring holds docs/authoring.md and the providers that it shows
// against each other: every block of the guide is code that compiles here, a
// configuration that is applied, a command that is run, or what it prints.
//
// Elsewhere: the first steps are package first, what they grow into is package
// zone.
package authoring

// Package authoring tests docs/authoring.md: every block of the guide is code that compiles
// here, a configuration that is applied, a command that is run, or its output.
//
// Elsewhere: the first steps are package first, the complete provider is package zone.
package authoring

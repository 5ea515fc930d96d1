// Package authoring tests docs/authoring.md: every block of the guide is code that compiles
// here, a configuration that is applied, a command that is run, or its output. It also makes
// each mistake of docs/mistakes.md.
//
// Elsewhere: package first has the first steps, package zone the complete provider.
package authoring

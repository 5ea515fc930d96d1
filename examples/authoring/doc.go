// Package authoring tests docs/authoring.md: the code of the guide equals files below this
// directory or parts of them, its configurations are applied or planned, its commands are run, and their output
// is compared. Blocks marked "terraform" or "untested" are exceptions. The package also makes
// each mistake of docs/mistakes.md.
//
// Elsewhere: package first has the first steps, package zone the complete provider.
package authoring

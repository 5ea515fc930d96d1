// Package acc runs the test cases of this module, so that all suites use the same
// engines.
//
// Elsewhere: package acctest has the engines.
package acc

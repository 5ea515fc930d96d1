// Package acc runs the test cases of this module, so that all suites use the same
// engines.
//
// Elsewhere: the engines are those of package acctest.
package acc

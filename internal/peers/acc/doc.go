// Package acc is the one door through which the suites of this module reach an
// engine, so that all of them change it together.
//
// Elsewhere: the engines are package acctest's.
package acc

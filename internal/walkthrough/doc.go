// Package walkthrough does what the README of an example says, line by line, so
// that no reader types what was never tried.
//
// Elsewhere: the examples are below examples/, with a test each that says what every
// line is to show.
package walkthrough

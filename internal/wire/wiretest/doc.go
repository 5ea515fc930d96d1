// Package wiretest generates random types and values for tests of codecs and of their
// users.
//
// The result depends only on the random source, so a failure can be repeated with
// its seed. Values are valid: they conform to their type, the elements of a
// collection have one type, and refinements do not contradict each other.
//
// It is for the tests of internal/wire and tfprotov6 only.
package wiretest

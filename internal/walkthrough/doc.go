// Package walkthrough runs the commands in the README of an example, so that each is
// tested.
//
// Elsewhere: the examples are below examples/, each with a test of the expected output.
package walkthrough

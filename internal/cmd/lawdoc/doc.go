// Command lawdoc writes docs/conformance.md, the list of the laws that package
// conformance checks. "go generate ./acctest/conformance" runs it. Its test fails if the
// page is out of date.
//
// Elsewhere: package conformance has the laws and their texts.
package main

// Command testreport reads the output of "go test -json" from standard input. It
// prints what go test prints without -v, and then what was skipped and why, so
// that a run says what it did not try. The last line has the number of tests that
// passed, failed and were skipped. It exits with 1 where a test or a build failed.
//
// A test with subtests is not counted; its subtests are.
//
// Elsewhere: what runs the tests is scripts/gotest; why a test is skipped in a tier
// is package internal/tier.
package main

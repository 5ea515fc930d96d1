// Command testreport reads the output of "go test -json" from standard input.
// It prints what go test prints without -v, and then the reasons for skipped
// tests. The last line has the number of passed, failed and skipped tests. It
// exits with 1 if a test or a build failed.
//
// A test with subtests is not counted; its subtests are.
//
// Elsewhere: scripts/gotest runs the tests; package internal/tier skips tests
// by tier.
package main

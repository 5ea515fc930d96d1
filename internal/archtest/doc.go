// Package archtest keeps the shape of the repository: which package may import
// which, where each package is described, and what
// no file may say. It also compares the workflows of CI with the Makefile and
// Dependabot's directories with the modules.
//
// It has only tests, which read the source with go/parser and need no build.
// The table of floors is data in floors_test.go and the same as in
// docs/architecture.md; a new package gets a row in both.
//
// Elsewhere: style within a file is the linters' concern (.golangci.yml).
package archtest

// Package archtest checks the structure of the repository: which package may import
// which, where each package is documented, which words are not used, and that links lead
// to files. It also compares the workflows of CI with the Makefile, and Dependabot's
// directories with the modules.
//
// It has only tests, which read the source with go/parser and need no build. The table of
// floors is data in floors_test.go and the same as in docs/architecture.md; a new
// directory that no row covers gets a row in both. The list of words is in CONTRIBUTING.md.
//
// Elsewhere: style within a file is checked by linters (.golangci.yml).
package archtest

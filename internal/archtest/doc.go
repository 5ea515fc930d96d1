// Package archtest checks the structure of the repository: the imports and the comments of
// packages, the words in texts, and the targets of links. It also compares the workflows of
// CI with the Makefile, and Dependabot's directories with the modules.
//
// It has only tests, which need no build: they parse Go source with go/parser. The table of
// layers in layers_test.go is the same as in docs/architecture.md; a new directory
// that no row covers gets a row in both. The list of words is in CONTRIBUTING.md.
//
// Elsewhere: linters check the style within a file (.golangci.yml).
package archtest

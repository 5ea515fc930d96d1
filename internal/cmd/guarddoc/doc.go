// Command guarddoc writes docs/guard.md, the list of the rules by which package
// guard judges the answers of a provider. "go generate ./guard" runs it, and its
// test fails while the page is not what the rules give.
//
// Elsewhere: the rules, and all that the page says about them, are package
// guard's.
package main

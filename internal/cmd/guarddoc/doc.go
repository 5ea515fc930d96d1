// Command guarddoc writes docs/guard.md, the list of the rules against which
// package guard checks the responses of a provider. "go generate ./guard" runs it.
// Its test fails if the page is out of date.
//
// Elsewhere: package guard has the rules and their texts.
package main

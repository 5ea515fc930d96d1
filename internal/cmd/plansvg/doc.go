// Command plansvg renders the text of a plan as an SVG image: white text of fixed
// width on a dark background, with the symbols +, - and ~ of changed lines in colour.
//
// "make generate" runs it on the plan that the demo records, for README.md. The same
// text gives the same image, so that "make test" notices a stale one without running
// OpenTofu.
//
// Elsewhere: internal/cmd/demo records the plan and checks the record.
package main

//go:generate go run . -command "tofu plan" -in ../demo/testdata/drift.txt -out ../../../docs/images/drift.svg

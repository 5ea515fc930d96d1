// Command demo is a provider with the resource of package note, and the whole of
// its main program. To be found by an engine it is built as
// terraform-provider-demo.
package main

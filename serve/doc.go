// Package serve is what a provider's program does: with [Main], the main
// function is a few lines.
//
//	func main() {
//		serve.Main(serve.Config{Addresses: []string{"registry.terraform.io/example/zone"}, Provider: zone.New})
//	}
//
// [Main] decides flags, what is printed and how the process ends. [Run] is the
// same without them, for a program that has its own idea of these.
//
// The guard is around the provider, as in tests with package acctest: an answer
// that a client would refuse is an error that names the rule. The lines that
// terraform-plugin-go writes about every call, which cost as much as the call,
// are off unless logs were asked for with any TF_LOG… variable.
//
// Elsewhere: the protocol is package tfprotov6, whether an answer is lawful is
// package guard, and a provider in the process of a test is package acctest.
package serve

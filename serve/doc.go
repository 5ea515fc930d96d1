// Package serve runs a provider's program: with [Main], the main function is a few
// lines.
//
//	func main() {
//		serve.Main(serve.Config{Addresses: []string{"registry.terraform.io/example/zone"}, Provider: zone.New})
//	}
//
// [Main] handles flags, output and the exit code. [Run] serves without them, for
// programs that parse their flags themselves.
//
// By default, the guard checks the provider's responses, as in tests with package acctest: a
// response that a client would reject becomes an error that names the rule. The
// log lines that terraform-plugin-go writes for every RPC, which cost as much time
// as the RPC, are off unless a TF_LOG variable is set.
//
// Elsewhere: package tfprotov6/server has the protocol; package guard checks the
// responses; package acctest serves a provider in the process of a test.
package serve

// Command findtf prints the path of the OpenTofu or Terraform command for tests and
// the demo. On standard error it prints the version and the rejected candidates. If
// there is no such command, it exits with 3, so that make builds one; after another
// error it exits with 1.
//
// Elsewhere: package tfcli has the rules; make builds the command.
package main

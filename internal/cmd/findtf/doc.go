// Command findtf prints the path of the OpenTofu or Terraform command that the
// tests and the demo use, and on standard error what it is and which others
// were passed over. It exits with 1 where there is none.
//
// Elsewhere: the rules are package tfcli's; make builds one where there is none.
package main

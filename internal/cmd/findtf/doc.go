// Command findtf prints the path of the OpenTofu or Terraform command that the
// tests and the demo use, and on standard error what it is and which others
// were passed over. Where there is none it exits with 3, which make takes as the
// order to build one; with 1 after another error.
//
// Elsewhere: the rules are package tfcli's; make builds one where there is none.
package main

// Command demo shows and proves what the provider does: it lets OpenTofu or
// Terraform plan, apply, repair, import and destroy the files of
// examples/quickstart in a scratch folder, and checks after each step what is on
// the disk. It fails where something is not as it says.
//
// It is run by make demo in the root of the repository, with the provider in
// bin/. It uses no network, no configuration of the person's own, and removes
// its folder.
//
// Elsewhere: finding the command is package tfcli.
package main

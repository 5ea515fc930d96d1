// Command demo shows what the provider does, and checks it: it runs OpenTofu or
// Terraform to plan, apply, repair, import and destroy the files of
// examples/quickstart in a temporary directory, and inspects the disk after each
// apply and destroy. It exits with 1 if a step does not have the expected result.
//
// "make demo" runs it with the provider in bin/. It uses no network and no CLI
// configuration of the user, and removes its directory unless -keep is set.
//
// testdata/drift.txt is the plan that step 2 prints with the pinned OpenTofu: "make
// ci" fails if the two differ, "make record-demo" writes the file, and the picture in
// the README is generated from it (internal/cmd/plansvg).
//
// Elsewhere: package tfcli finds the command.
package main

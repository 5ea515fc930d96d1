// Command terraform-provider-posix serves the posix provider to OpenTofu and
// Terraform, which start it themselves.
//
// Users run it with -version, or with -debug to serve clients that attach to it with
// TF_REATTACH_PROVIDERS. This package sets the addresses of the provider; it has no
// resources.
//
// Elsewhere: package resources has the provider; package serve has the flags, the logs,
// the guard and the shutdown.
package main

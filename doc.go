// Command terraform-provider-posix serves the posix provider to OpenTofu and
// Terraform, which start it themselves.
//
// By hand it is run with -version, or with -debug to wait under a debugger for a client
// that reads TF_REATTACH_PROVIDERS. It sets the name of the provider; it has no
// resources.
//
// Elsewhere: package resources has the provider; package serve has the flags, the logs,
// the guard and the end of serving.
package main

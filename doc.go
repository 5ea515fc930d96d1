// Command terraform-provider-posix serves the posix provider to OpenTofu and
// Terraform, which start it themselves.
//
// By hand it is run with -version, or with -debug to wait under a debugger for
// a client that reads TF_REATTACH_PROVIDERS. It decides flags, logs and how
// long to serve; it knows no resource.
//
// Elsewhere: the provider is package resources, its guard package guard, the
// protocol package tfprotov6.
package main

// Command terraform-provider-posix serves the posix provider to OpenTofu and
// Terraform, which start it themselves.
//
// By hand it is run with -version, or with -debug to wait under a debugger for
// a client that reads TF_REATTACH_PROVIDERS. It decides what the provider is
// called; it knows no resource.
//
// Elsewhere: the provider is package resources; flags, logs, the guard around it
// and how long to serve are package serve.
package main

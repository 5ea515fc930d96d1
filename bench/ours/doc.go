// Package ours has the resources of package bench on this repository's typed runtime, with
// its guard and its server (package tfprotov6), like the resources of the real provider.
//
// With the file operations of package disk, it shows what the runtime itself adds to a run.
// posix_file of the real provider does more with a file and is measured separately.
//
// Elsewhere: package floor has the same resources without a framework, package framework on
// terraform-plugin-framework.
package ours

// Package ours is what package bench compares on this repository's typed
// runtime, judged by its guard and served by its tfprotov6, as a resource of the
// real provider is.
//
// With the file operations of package disk it shows what the runtime itself adds
// to a run; posix_file of the real provider, which does more with a file, is
// measured beside it.
//
// Elsewhere: the same without a framework is package floor, on
// terraform-plugin-framework package framework.
package ours

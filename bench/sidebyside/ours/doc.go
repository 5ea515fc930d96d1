// Package ours is the site of package sidebyside on this repository's typed
// runtime, with its guard, as posix_file is.
package ours

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe web site output

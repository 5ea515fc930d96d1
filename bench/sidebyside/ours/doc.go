// Package ours has the site resource of package sidebyside on this repository's typed runtime,
// with its guard, like posix_file.
package ours

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe web site output

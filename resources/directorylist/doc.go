// Package directorylist lists the content of directories: as the data source
// posix_directory, and as the list resources posix_file and posix_directory, from which
// "terraform query -generate-config-out=FILE" writes import blocks.
//
// Invariants: links are not followed; a directory is read with one call of
// host.ReadTree, at any depth; objects whose names or link targets Terraform's strings cannot contain
// are left out with a warning that counts them; exceeding max_entries or maxObjects is an
// error, and never shortens the list.
//
// Elsewhere: package glob matches patterns; packages file and directory read imported
// objects.
package directorylist

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup LookupOutput Entry FileFilter DirectoryFilter

// Package directorylist finds what is in directories of a host: for configurations, as the data source
// posix_directory, and for people who take over a machine, as the list resources posix_file and
// posix_directory, by which Terraform writes the import blocks of what is there.
//
// Invariants: no link is followed; a directory is read by one look at the host, however much there is below
// it; what has a name that no configuration can have is left out with a warning that says how much
// of it there is; a limit that is exceeded is an error, never a list that lacks something.
//
// Elsewhere: what a pattern is for is package glob; what is imported is read by packages file and
// directory.
package directorylist

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup LookupOutput Entry FileFilter DirectoryFilter

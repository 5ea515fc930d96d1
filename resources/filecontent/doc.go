// Package filecontent is posix_file as a data source and as an ephemeral resource:
// what a file has that is there already, whoever manages it.
//
// It decides how a link is followed, how much is read, and what of that can be
// text. Package resources registers it.
//
// Invariants: text is byte for byte what is in the file, and null where it cannot
// be; only a proven absence is one; a directory or anything else that is no
// regular file is an error.
//
// Elsewhere: the resource of the same name is package file.
package filecontent

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup LookupOutput Secret SecretOutput

// Package filecontent is the data source and the ephemeral resource posix_file: the
// content of any file on a host.
//
// It decides how links are followed, how large a file may be, and which content is text.
//
// Invariants: text is the exact content of the file, or null; a file is missing only if
// the host reports that; an object that is not a regular file is an error.
//
// Elsewhere: package file has the managed resource of the same name.
package filecontent

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Lookup LookupOutput Secret SecretOutput

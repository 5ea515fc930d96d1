// Package remotefs is the file system of a remote host. [Files] implements [host.Files]
// over a [Backend], which does single steps over SFTP or through a shell.
//
// It has the rules that are independent of the backend: which paths are allowed, which
// attributes a new file takes from the one it replaces, how temporary files are named and
// when leftovers are removed, which writers wait for each other, and which errors
// operations return.
//
// Package sshhost creates a Files for the shell of each host, and one for SFTP if the files of the host
// are to be accessed over SFTP.
//
// Invariants, besides those of package host: a temporary file has a lease in its name
// instead of a lock (see package lease); a directory is searched once for temporary files,
// however many files are written to it; a backend returns no owner names, which a Files adds
// with [Names].
//
// Elsewhere: packages sftpfs and shellfs implement the steps; package perlfs makes small changes
// in one step.
package remotefs

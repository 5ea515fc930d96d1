// Package remotefs is the file system of a host that is not this one. [Files] implements
// [host.Files] over a [Backend], which does single steps over SFTP or through a shell.
//
// It has the rules that are the same however a host is reached: which paths are
// allowed, what a new file keeps of the one it replaces, how temporary files are
// called and who removes those of killed writers, which writers wait for each other,
// and which errors operations return.
//
// Package sshhost makes a Files when it knows what the host offers.
//
// Invariants, beside those of package host: a temporary file has a lease in its name
// instead of a lock (see package lease); a directory is searched once for temporary
// files, however many files are written to it; no backend learns of names of owners.
//
// Elsewhere: the steps are packages sftpfs and shellfs.
package remotefs

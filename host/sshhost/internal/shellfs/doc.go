// Package shellfs is the file system of a host through its shell: it implements
// [remotefs.Backend] by the tools that every host has.
//
// It decides what an operation says to the shell, and what the answer means. What
// reads and what changes names are questions of package shellrpc, so what many callers
// ask at the same time is one round trip. Contents that are written, and large ones that
// are read, have a process of their own.
//
// Package sshhost uses it for hosts without a usable SFTP server and for hosts that
// allow a single session.
//
// Invariants: a content whose length is not what was sent never gets its name; a file
// is looked at where it is open, not by its path, if the host allows that; between a
// look at a path and a change of what is there is one command of the host's shell at
// most.
//
// Limits: an exclusive write needs hard links; on hosts whose mv has no option for it, a
// link to a directory cannot be replaced; a change of mode follows what became a link at
// that instant, as the host's chmod does; on a host that allows a single session, a file
// larger than 16 MiB cannot be copied, as reading and writing each need the session.
//
// Elsewhere: the rules for files are package remotefs, files over SFTP package sftpfs.
package shellfs

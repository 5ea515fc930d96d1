// Package shellfs is the file system of a host that has no SFTP: it implements
// [host.Files] by the tools that every host has, through its shell.
//
// It decides what an operation says to the shell, and what its answer means.
// What reads and what changes names are questions of package shellrpc, so what many
// ask at once is one round trip. Contents that are written, and large ones that
// are read, have a process of their own.
//
// Package sshhost uses it where there is no SFTP.
//
// Invariants, beside those of package host: a content whose length is not what
// was sent never gets its name; a file is looked at where it is open, not by its
// path, where the host lets one do so; between a look at what is at a path and
// a change of it is one command of the host's shell at most.
//
// What it can not do: an exclusive write on a file system without hard links,
// and on hosts whose mv has no option for it, replacing a link to a directory. As
// the host's chmod does, a change of mode follows what became a link that instant.
//
// Elsewhere: files over SFTP are package sftpfs; who owns a temporary file is
// package lease.
package shellfs

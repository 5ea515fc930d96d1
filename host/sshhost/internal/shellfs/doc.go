// Package shellfs accesses the file system of a host through its shell: it implements
// [remotefs.Backend] with tools that almost every host has.
//
// It maps operations to shell scripts, and their output to results. Small files are
// read and written, and names are changed, by requests of package shellrpc, so concurrent
// calls share a round trip. Reading or writing larger content uses a separate process.
//
// Package sshhost uses it for hosts without a usable SFTP server and for hosts that allow a
// single session. On other hosts with a shell, sshhost uses shellfs for digests that Perl does
// not compute and, until the services of the host are detected, for steps that do not depend on them.
//
// Invariants: an incomplete file is never renamed to its final name; a file is checked
// through its open descriptor rather than its path, if the host supports that; between
// checking a path and replacing or removing the object at it, a shell function runs at most one command.
//
// Limits: an exclusive write needs hard links; if mv has no option to treat a
// link to a directory like a file, such a link cannot be replaced; if chmod has no option not
// to follow links, and the host has no /proc or the file cannot be opened, chmod can follow a
// link that replaced the file after the check; on a host that allows a single session, a file
// larger than 16 MiB cannot be copied, as reading and writing each need the session.
//
// Elsewhere: remotefs has the rules for files; sftpfs is the backend for SFTP.
package shellfs

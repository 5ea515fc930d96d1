// Package mounttable decodes the fields of mount tables: of /etc/fstab, and of those that Linux
// shows in /proc. It also lists the mount points in a directory of a host, for the resources that
// delete or move directories.
//
// Elsewhere: package mount reads and writes the lines.
package mounttable

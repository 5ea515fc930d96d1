// Package mount is posix_mount: a file system that is mounted somewhere, and the line
// in /etc/fstab that has it mounted when the host starts.
//
// It decides which line is whose, which of the options that the kernel shows count, and
// what a change needs: nothing, a remount, or that the old file system is unmounted.
// Package resources registers it.
//
// Invariants: of /etc/fstab only the one line changes, and of that only what is other
// than it should be; a line whose mount fails is not left there, as a host might not
// start with it; what is not ours is never unmounted, but where a plan shows it.
//
// Elsewhere: how the file is changed is package textedit.
package mount

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mount Output

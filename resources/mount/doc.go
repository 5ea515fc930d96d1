// Package mount is the resource posix_mount: a mounted file system and its line in
// /etc/fstab.
//
// It decides which line belongs to a mount, which of the options that the kernel prints
// count as drift, and whether a change needs a remount or an unmount.
//
// Invariants: only one line of /etc/fstab changes, and only the fields that differ; a
// line that was added or changed is not kept if the mount fails, because the host might not
// boot with it; before an unmount, the visible file system is compared with those in the
// state and the plan.
//
// Elsewhere: package textedit replaces the file.
package mount

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Mount Output

// Package hostname is the resource posix_hostname: the static and the current name of a
// host.
//
// It decides which names are valid, how /etc/hostname is edited, and how the current
// name is set.
//
// Invariants: comment lines in /etc/hostname are kept; both names are set, or the error shows
// which one is set; nothing else is changed.
//
// Elsewhere: package textedit replaces the file.
package hostname

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Hostname Identity Output

// Package hosts is the provider's own configuration: which machines there are,
// how they are reached, and whom to believe that they are those.
//
// Package resources makes the provider's configuration of [Provider] and [New].
// Nothing is connected to here: [New] gives resources the hosts that they name,
// each made once and when it is first needed, of the options that the
// configuration, the environment and the user's SSH configuration have for it.
//
// Invariants: what is written in the provider's configuration goes before the
// environment, and that before the SSH configuration. A host of which something
// is not known yet is no error until something is asked of it. No key is trusted
// that nobody said to trust. No secret is part of a message.
//
// Elsewhere: the connection is package sshhost, files of ssh(1) are read by its
// package sshconfig; what names a host is package target.
package hosts

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Provider Host Settings Sudo

// Package hosts is the provider's configuration: its hosts, how to connect and
// authenticate to them, and how their host keys are verified.
//
// [Provider] is the schema. [New] returns the hosts that resources name. Each is made
// once, when it is first needed, with options from the configuration, the environment
// and the user's SSH configuration; nothing is connected to here.
//
// Invariants: the provider's configuration goes before the environment, and the
// environment before the SSH configuration. Unknown settings of a host are no error
// until an operation needs the host. Only configured host keys are trusted. Errors
// contain no secrets.
//
// Elsewhere: the connection is package sshhost, files of ssh(1) are read by its package
// sshconfig; names of hosts are package address.
package hosts

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Provider Host Settings Sudo

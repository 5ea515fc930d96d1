// Package hosts is the provider's configuration: its hosts, how to connect and
// authenticate to them, and how their host keys are verified.
//
// [Provider] is the schema. [New] returns the hosts that resources refer to. Each host is
// created once, when it is first needed, with options from the configuration, the
// environment and the SSH configuration. This package does not connect to hosts.
//
// Invariants: the settings of a host take precedence over those for all hosts; within each
// of these, the provider's configuration takes precedence over the environment; the SSH
// configuration has the lowest precedence. Unknown settings of a host are not an error until
// an operation needs the host. An unknown host key is only accepted if host_key_policy
// allows it or, if that is unset, the SSH configuration does, which can never disable the
// verification. Errors contain no secrets.
//
// Elsewhere: package sshhost has the connection, and its package sshconfig reads the
// configuration files of ssh(1); package address parses names of hosts.
package hosts

//go:generate go run github.com/posixform/terraform-provider-posix/cmd/describe Provider Host Settings Sudo

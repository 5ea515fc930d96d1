// Package sshconfig reads what the SSH configuration of a user says about a host,
// as ssh(1) would: ~/.ssh/config, then /etc/ssh/ssh_config, the first value wins.
//
// Package resources/hosts asks it for each host that it makes. [Default], [File]
// and [None] say what is read, [Config.Resolve] answers for one host.
//
// Invariants: a setting that this package understands has the value that ssh -G
// prints, or resolving fails. What cannot be honoured and would change where a
// connection goes or whom it trusts is an error that names file and line, and
// only where it applies to the host: ProxyCommand, CanonicalizeHostname,
// RevokedHostKeys, and criteria of Match that run programs or look at the
// network. Other keywords are without effect. Nothing is run, nothing is
// written, no name is looked up.
//
// It is our own reader because those that exist know neither Match with user,
// originalhost or final, nor where a value stands, nor that an Include counts
// only under the Host in which it is written.
//
// Elsewhere: what becomes of the settings is package resources/hosts.
package sshconfig

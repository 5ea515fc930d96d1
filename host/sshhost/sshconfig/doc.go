// Package sshconfig reads the SSH client configuration for a host as ssh(1) does:
// ~/.ssh/config, then /etc/ssh/ssh_config; the first value is used.
//
// Package resources/hosts uses it for each host that it creates. [Default], [File] and
// [None] select the files, [Config.Resolve] returns the settings of one host.
//
// Invariants: a supported setting has the value that ssh -G prints, or Resolve fails. Unsupported
// settings that affect the destination of a connection or the accepted host keys are errors with
// file and line, if they apply to the host: CanonicalizeHostname, ProxyUseFdpass, RevokedHostKeys, and
// criteria of Match that run programs or query the network. Other keywords are ignored. No program is run, no
// file is written, and no name is resolved. A ProxyCommand, which the caller runs, is from a file
// that other users cannot write, and its tokens add no words to the command.
//
// Existing parsers support neither Match with user, originalhost or final, nor positions of
// values, nor the scope of an Include inside a Host block.
//
// Elsewhere: package resources/hosts uses the settings.
package sshconfig

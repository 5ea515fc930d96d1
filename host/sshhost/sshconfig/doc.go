// Package sshconfig reads the SSH client configuration for a host as ssh(1) does:
// ~/.ssh/config, then /etc/ssh/ssh_config; the first value of a keyword is used, but the values of
// IdentityFile and CertificateFile accumulate.
//
// Package resources/hosts resolves the settings of each host that it creates. [Default], [File] and
// [None] select the files, [Config.Resolve] returns the settings of one host.
//
// Invariants: a supported setting has the value that ssh uses, or Resolve fails. The following
// unsupported settings are errors with file and line if they apply to the host and have an effect:
// CanonicalizeHostname, ProxyUseFdpass, RevokedHostKeys, and criteria of Match other than all, canonical,
// final, host, originalhost, user and localuser. Other keywords are ignored. No program is run, no
// file is written, and no host name is resolved. A ProxyCommand, which the caller runs, is from a file
// that other users cannot write, and its tokens add no words to the command.
//
// Existing parsers support neither Match with user, originalhost or final, nor positions of
// values, nor the scope of an Include inside a Host block.
//
// Elsewhere: package resources/hosts uses the settings.
package sshconfig

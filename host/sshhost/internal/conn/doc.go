// Package conn is the connection to one host over SSH: it is made when it is first
// needed, shared by all callers, and made again when it broke.
//
// Package sshhost makes a [Conn] from the configuration. A Conn is a [remote.Starter], so
// the packages that speak to programs (sftp, shell) know nothing of connections; and it
// is a [Dialer], so a connection can go through another.
//
// Invariants: nothing is sent to a host whose key was not verified. Authentication that
// was rejected, and a host key that was, are not tried again. No lock is held while
// something else is waited for: a caller that waits has a context, and a host that does
// not answer delays no other host. No more sessions are open than the server allows;
// callers that wait for one are served in order. No message has a password, a passphrase
// or a private key.
//
// Files: conn.go shares and dial.go makes the connection; auth.go and keys.go are the
// authentication, trust.go and knownhosts.go the host key verification; sessions.go and
// hold.go share the sessions, process.go and forward.go are what runs in them.
//
// Elsewhere: limits over all hosts and the configuration are package sshhost's.
package conn

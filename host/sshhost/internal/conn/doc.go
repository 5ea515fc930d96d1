// Package conn is the SSH connection to one host: it is opened on first use, shared by
// all callers, and opened again after it breaks.
//
// Package sshhost makes a [Conn] from the configuration. A Conn is a [remote.Starter], so
// the packages that communicate with programs (sftp, shell) do not depend on connections; and it is
// a [Dialer], so another Conn can connect through it.
//
// Invariants: only the version and the key exchange are sent to a host before its key is accepted.
// An attempt to connect does not retry failed authentication, and retries failed host key verification only if
// the host may also have a pinned key of another type. No lock is held while waiting: each waiting caller has a
// context, and a host that does not respond delays only hosts that are reached through it. No more sessions are
// open than the server allows; callers that wait for one are served in order within their kind: urgent programs,
// file operations and other programs. No message contains a password, a passphrase or a private key.
//
// Files: conn.go shares the connection, dial.go opens it and connection.go keeps it alive;
// proxycommand.go runs a command in place of a network connection;
// auth.go and keys.go implement authentication, trust.go and knownhosts.go host key
// verification; sessions.go limits the number of sessions, session.go opens one for a program,
// and hold.go keeps open the sessions that many callers share; process.go and forward.go run
// programs and forwarded connections; options.go and errors.go have the options and the errors.
//
// Elsewhere: package sshhost has the configuration, and the limits for all hosts.
package conn

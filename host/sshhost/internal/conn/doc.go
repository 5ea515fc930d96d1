// Package conn is one connection to one host over SSH: it is made when it is
// first needed, shared by all who need it, and made again when it broke.
//
// Package sshhost makes a [Conn] from what configuration says. A Conn is a
// [remote.Starter], so the packages that speak to programs (sftp, shell) know
// nothing of connections; and it is a [Dialer], so a connection can go through another.
//
// Invariants: nobody is believed whose host key was not checked. Authentication
// that was refused, and a host key that was, are not tried again. No lock is held
// while anything is waited for but the lock itself: who waits has a context, and
// a host that does not answer delays nobody who wants another. No more sessions
// are open than the server allows; who waits for one is served in turn. No
// message has a password, a passphrase or a private key.
//
// Files: conn.go shares and dial.go makes the connection; auth.go and keys.go say
// who we are, trust.go and knownhosts.go who the host is; sessions.go and hold.go
// share the sessions, process.go and forward.go are what is in them.
//
// Elsewhere: limits over all hosts and what configuration says are package
// sshhost's.
package conn

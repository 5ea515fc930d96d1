package sshdtest

import (
	"fmt"
	"os/user"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Values of [Config.Subsystem] and [Config.Forwarding].
const (
	None = "none" // no SFTP
	No   = "no"   // no connections through the server
)

// Config is a server. The zero value of all but Users is what sshd does when it
// is told nothing.
type Config struct {
	Users []User // at least one

	Address  string    // to listen at; 127.0.0.1
	HostKeys []HostKey // a new one

	// Subsystem is what SFTP is: [None], or a path. Empty is sshd's built-in one.
	Subsystem string

	MaxSessions    int    // sessions of a connection
	MaxStartups    string // connections that are not authenticated, as start:rate:full
	Passwords      bool   // password authentication, which only users of [RequireUsers] have
	Interactive    bool   // keyboard-interactive authentication, which asks them for their password
	Forwarding     string // AllowTcpForwarding: [No], local, …
	UserAuthority  ssh.PublicKey
	LogLevel       string   // VERBOSE
	Lines          []string // further lines of sshd_config; the first of two for the same thing counts, and these come first
	Authentication string   // AuthenticationMethods, as publickey,password
}

// User is somebody who can log in.
type User struct {
	Name     string // root, the own user ([Me]), or anybody, who then exists for this server
	Password string
	Keys     []ssh.PublicKey
	Sudo     Sudo
	Shell    string // /bin/sh
}

// Me is the own user, who can always log in.
func Me(keys ...ssh.PublicKey) User {
	me, err := user.Current()
	if err != nil {
		return User{Name: "unknown", Keys: keys} // whom sshd will not know either
	}
	return User{Name: me.Username, Keys: keys}
}

// Sudo is what a user may do as anybody else.
type Sudo int

// The rules of sudo. Its timestamps are a server's own.
const (
	NoSudo         Sudo = iota
	SudoPassword        // everything, after saying the password
	SudoNoPassword      // everything
)

// HostKey is a key by which a server shows who it is.
type HostKey struct {
	Key
	Certificate *ssh.Certificate // nil: none
}

// special says whether a user is one that only a sandbox can have.
func (u User) special() bool {
	return u.Name != Me().Name || u.Password != "" || u.Sudo != NoSudo || u.Shell != ""
}

// render is sshd_config. Dir has the files that it names.
func (s *Server) render() string {
	cfg := s.config
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	for _, l := range cfg.Lines {
		line("%s", l)
	}
	line("ListenAddress %s:%d", cfg.Address, s.port)
	for i, key := range cfg.HostKeys {
		line("HostKey %s", s.hostKeyFile(i))
		if key.Certificate != nil {
			line("HostCertificate %s-cert.pub", s.hostKeyFile(i))
		}
	}
	line("PidFile none")
	line("StrictModes no") // the temporary folder is everybody's
	line("PermitRootLogin yes")
	line("PrintMotd no")
	line("UsePAM %s", yes(s.sandboxed))
	line("AuthorizedKeysFile %s", filepath.Join(s.dir, "keys", "%u"))
	line("PasswordAuthentication %s", yes(cfg.Passwords))
	line("KbdInteractiveAuthentication %s", yes(cfg.Interactive))
	line("LogLevel %s", cfg.LogLevel)
	switch cfg.Subsystem {
	case None:
	case "":
		line("Subsystem sftp internal-sftp")
	default:
		line("Subsystem sftp %s", cfg.Subsystem)
	}
	if cfg.MaxSessions > 0 {
		line("MaxSessions %d", cfg.MaxSessions)
	}
	if cfg.MaxStartups != "" {
		line("MaxStartups %s", cfg.MaxStartups)
	}
	if cfg.Forwarding != "" {
		line("AllowTcpForwarding %s", cfg.Forwarding)
		line("AllowStreamLocalForwarding %s", cfg.Forwarding)
	}
	if cfg.UserAuthority != nil {
		line("TrustedUserCAKeys %s", filepath.Join(s.dir, "authority.pub"))
	}
	if cfg.Authentication != "" {
		line("AuthenticationMethods %s", cfg.Authentication)
	}
	return b.String()
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

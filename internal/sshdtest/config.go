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

// Config configures a server. Zero values select the defaults of sshd, unless a field has a
// different default. Passwords and Interactive are disabled by default.
type Config struct {
	Users []User // at least one

	Address  string    // address to listen on; default 127.0.0.1
	HostKeys []HostKey // default: a generated key

	// Subsystem is the SFTP server: [None], or a path. If it is empty, sshd uses its
	// built-in SFTP server.
	Subsystem string

	MaxSessions    int    // sessions per connection
	MaxStartups    string // unauthenticated connections, as start:rate:full
	Passwords      bool   // password authentication, which works only in a sandbox
	Interactive    bool   // keyboard-interactive authentication with the password
	Forwarding     string // AllowTcpForwarding and AllowStreamLocalForwarding: [No], local, …
	UserAuthority  ssh.PublicKey
	LogLevel       string   // default VERBOSE
	Lines          []string // lines at the beginning of sshd_config; sshd uses the first value of an option
	Authentication string   // AuthenticationMethods, such as publickey,password
}

// User is a user who can log in.
type User struct {
	Name     string // root, the name of [Me], or another name, which exists only for this server
	Password string
	Keys     []ssh.PublicKey
	Sudo     Sudo
	Shell    string // default /bin/sh
}

// Me returns the user of this process, with keys. For this user, the server needs a sandbox only
// if the user is root.
func Me(keys ...ssh.PublicKey) User {
	me, err := user.Current()
	if err != nil {
		return User{Name: "unknown", Keys: keys} // sshd cannot look up the user either
	}
	return User{Name: me.Username, Keys: keys}
}

// Sudo is the permission of a user to use sudo.
type Sudo int

// Values of [User.Sudo]. Each server has its own sudo timestamps.
const (
	NoSudo         Sudo = iota
	SudoPassword        // all commands, with the password
	SudoNoPassword      // all commands, without a password
)

// HostKey is a host key of a server.
type HostKey struct {
	Key
	Certificate *ssh.Certificate // nil: none
}

// special reports whether a user needs a sandbox even if this process does not run as root.
func (u User) special() bool {
	return u.Name != Me().Name || u.Password != "" || u.Sudo != NoSudo || u.Shell != ""
}

// render returns the sshd_config, which refers to files in s.dir.
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
	line("StrictModes no") // other users can write to the temporary directory
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

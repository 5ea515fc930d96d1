package sshconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Env is the local user and environment for which configuration is read.
type Env struct {
	User     string // the local user's name
	UID      string
	Home     string // home directory of the user, for ~ and .ssh
	HostName string // name of the local host
	// Getenv looks up an environment variable.
	Getenv func(name string) (value string, ok bool)
	// Environ returns all environment variables, as NAME=VALUE.
	Environ func() []string
}

// Environ returns the Env of this process. It is an error if the current user or the name of
// this host cannot be determined.
func Environ() (Env, error) {
	me, err := user.Current()
	if err != nil {
		return Env{}, fmt.Errorf("cannot determine the current user: %w", err)
	}
	name, err := os.Hostname()
	if err != nil {
		return Env{}, fmt.Errorf("cannot determine the name of this host: %w", err)
	}
	_, short, ok := strings.Cut(me.Username, `\`) // on Windows the domain comes first
	if !ok {
		short = me.Username
	}
	return Env{User: short, UID: me.Uid, Home: me.HomeDir, HostName: name, Getenv: os.LookupEnv, Environ: os.Environ}, nil
}

// Config is the SSH configuration. It reads each file once, on first use, and is safe for
// concurrent use.
type Config struct {
	env   Env
	files []source

	mu     sync.Mutex
	parsed map[string][]line
}

// source is a configuration file: one of a [Config], or one that an Include names.
type source struct {
	path     string
	dir      string // directory for relative includes
	optional bool
	guarded  bool // reading fails if other users can write the file
}

const systemFile = "/etc/ssh/ssh_config"

// Default returns the configuration that ssh uses by default. Files that do not exist count
// as empty.
func Default(env Env) *Config {
	dir := filepath.Join(env.Home, ".ssh")
	return newConfig(env,
		source{path: filepath.Join(dir, "config"), dir: dir, optional: true, guarded: true},
		source{path: systemFile, dir: filepath.Dir(systemFile), optional: true})
}

// File returns the configuration of one file only, as with ssh -F. The file must exist at the
// first use of the configuration.
func File(env Env, path string) *Config {
	return newConfig(env, source{path: path, dir: filepath.Join(env.Home, ".ssh")})
}

// None returns an empty configuration.
func None(env Env) *Config { return newConfig(env) }

func newConfig(env Env, files ...source) *Config {
	return &Config{env: env, files: files, parsed: make(map[string][]line)}
}

// read returns the directives of a file, which it parses once. A missing optional file has none.
func (c *Config) read(s source) ([]line, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lines, ok := c.parsed[s.path]; ok {
		return lines, nil
	}
	text, safe, err := readGuarded(s)
	switch {
	case s.optional && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)): // the user may have no home directory
	case err != nil:
		return nil, fmt.Errorf("cannot read the SSH configuration: %w", err)
	}
	lines := parse(s.path, string(text))
	for i := range lines {
		lines[i].unguarded = !safe
	}
	c.parsed[s.path] = lines
	return lines, nil
}

// readGuarded returns the text of a file, and whether only this user and root can write it. If others
// can write a guarded file, that is an error.
func readGuarded(s source) (text []byte, safe bool, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	safe = guarded(info)
	if s.guarded && !safe {
		return nil, false, fmt.Errorf("%s is writable by other users, or belongs to another user: "+
			"users who can write it could redirect connections. Change its owner and mode (chmod go-w)", s.path)
	}
	text, err = io.ReadAll(f)
	return text, safe, err
}

// Position is a line of a file.
type Position struct {
	File string
	Line int
}

// String returns file:line.
func (p Position) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Error is the error of a directive that is invalid or not supported, with its position.
type Error struct {
	At      Position
	Problem string
}

func (e *Error) Error() string { return "SSH configuration, " + e.At.String() + ": " + e.Problem }

// Query is the destination to look up, as on the command line of ssh.
type Query struct {
	Host string // host name or alias
	User string // empty if not given
	Port int    // 0 if not given
	// NoProxyCommand ignores ProxyCommand, because the caller connects in another way.
	NoProxyCommand bool
}

// Settings are the settings of a host. Unset ones are zero, unless documented otherwise.
type Settings struct {
	// Listed reports whether a Host or Match line matches this host because of a pattern for its name other
	// than *: the host is configured, and not just matched by a pattern for all hosts.
	Listed bool

	HostName string // host to connect to; defaults to the name in the query
	User     string
	Port     int

	// IdentityFiles is nil if unset and empty for "none".
	IdentityFiles    []string
	CertificateFiles []string
	IdentitiesOnly   bool
	// IdentityAgent is the path of a socket, [NoAgent], or empty for the agent in the
	// environment.
	IdentityAgent string

	// ProxyJump is the list of the jump hosts in order. It is nil if unset, and empty if ProxyJump or
	// ProxyCommand is "none".
	ProxyJump []string

	// ProxyCommand is a command line for the user's shell, or empty. The input and output of its process are the
	// connection.
	ProxyCommand string

	// UserKnownHostsFiles and GlobalKnownHostsFiles are nil if unset and empty for "none".
	UserKnownHostsFiles   []string
	GlobalKnownHostsFiles []string
	HostKeyAlias          string
	// HostKeyAlgorithms are names and patterns; a leading +, ^ or - appends them to the
	// defaults, puts them first, or removes them.
	HostKeyAlgorithms     []string
	StrictHostKeyChecking Strictness

	// The following three are negative if unset.
	ServerAliveInterval time.Duration
	ServerAliveCountMax int
	ConnectTimeout      time.Duration

	where map[string]Position
}

// NoAgent is the IdentityAgent "none".
const NoAgent = "none"

// Strictness is a value of StrictHostKeyChecking.
type Strictness string

// The values of StrictHostKeyChecking. A file may contain "true" instead of "yes", and "no" or
// "false" instead of "off".
const (
	StrictUnset     Strictness = ""
	StrictYes       Strictness = "yes"
	StrictAsk       Strictness = "ask"
	StrictAcceptNew Strictness = "accept-new"
	StrictOff       Strictness = "off"
)

// Where returns the position of the directive that determined a setting, by its keyword in
// lower case; ok is false if there is no such directive.
func (s *Settings) Where(keyword string) (at Position, ok bool) {
	at, ok = s.where[keyword]
	return at, ok
}

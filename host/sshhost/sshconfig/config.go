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
)

// Env is on whose behalf configuration is read.
type Env struct {
	User     string // the local user's name
	UID      string
	Home     string // of that user; where ~ is, and .ssh
	HostName string // of this host
	// Getenv looks an environment variable up.
	Getenv func(name string) (value string, ok bool)
}

// Environ is the environment of this process.
func Environ() (Env, error) {
	me, err := user.Current()
	if err != nil {
		return Env{}, fmt.Errorf("who runs the provider cannot be found out: %w", err)
	}
	name, err := os.Hostname()
	if err != nil {
		return Env{}, fmt.Errorf("the name of this host cannot be found out: %w", err)
	}
	_, short, ok := strings.Cut(me.Username, `\`) // on Windows there is a domain before
	if !ok {
		short = me.Username
	}
	return Env{User: short, UID: me.Uid, Home: me.HomeDir, HostName: name, Getenv: os.LookupEnv}, nil
}

// Config is the configuration that hosts are looked up in. It reads each file
// once, when it is first needed, and is safe for use by many goroutines.
type Config struct {
	env   Env
	files []source

	mu     sync.Mutex
	parsed map[string][]line
}

// source is a file that is read for every host.
type source struct {
	path     string
	dir      string // where relative includes are
	optional bool
	guarded  bool // nobody but its owner and root may be able to write it
}

const systemFile = "/etc/ssh/ssh_config"

// Default is the configuration that ssh has by itself. Files that do not exist
// are empty.
func Default(env Env) *Config {
	dir := filepath.Join(env.Home, ".ssh")
	return newConfig(env,
		source{path: filepath.Join(dir, "config"), dir: dir, optional: true, guarded: true},
		source{path: systemFile, dir: filepath.Dir(systemFile), optional: true})
}

// File is the configuration of one file alone, as ssh -F has it. The file must
// exist once it is needed.
func File(env Env, path string) *Config {
	return newConfig(env, source{path: path, dir: filepath.Join(env.Home, ".ssh")})
}

// None says nothing about any host.
func None(env Env) *Config { return newConfig(env) }

func newConfig(env Env, files ...source) *Config {
	return &Config{env: env, files: files, parsed: make(map[string][]line)}
}

// read is a file as lines.
func (c *Config) read(s source) ([]line, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if lines, ok := c.parsed[s.path]; ok {
		return lines, nil
	}
	text, err := readGuarded(s)
	switch {
	case s.optional && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)): // some users have no home
	case err != nil:
		return nil, fmt.Errorf("the SSH configuration cannot be read: %w", err)
	}
	lines := parse(s.path, string(text))
	c.parsed[s.path] = lines
	return lines, nil
}

func readGuarded(s source) (text []byte, err error) {
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if s.guarded && !guarded(info) {
		return nil, fmt.Errorf("%s can be written by others than its owner, or is another user's: "+
			"the user who can write it decides whom to trust. Change its owner and mode (chmod go-w)", s.path)
	}
	return io.ReadAll(f)
}

// Position is where something stands in a file.
type Position struct {
	File string
	Line int
}

// String is file:line.
func (p Position) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Error is what cannot be understood, or not be honoured, at a place.
type Error struct {
	At      Position
	Problem string
}

func (e *Error) Error() string { return "SSH configuration, " + e.At.String() + ": " + e.Problem }

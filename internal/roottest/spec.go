package roottest

import (
	"maps"
	"slices"
	"strings"
)

// spec has the instructions for the first process of a root: how to create the
// root, and what to run.
type spec struct {
	Mount    string // mount point of the root before pivot
	Base     string // directory of the system
	Writable bool   // change the base itself, to build it

	Hostname   string
	PrivateNet bool
	Binds      []string // paths of the host to bind to the same path, or as FROM:TO
	Files      []file   // written after pivot
	Token      string   // identifies the root; may be empty

	Command []string
	Dir     string
	Env     []string
}

// file is a file of a root.
type file struct {
	Path, Content string
	Mode          uint32
}

// standardPath is the PATH of a login on Debian.
const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// envToken is an environment variable of programs in a root. Its value is the
// token in the file [tokenFile].
const (
	envToken  = "POSIX_ROOTTEST"
	tokenFile = "/run/roottest"
)

// environment returns the environment for a root: that of the host without
// settings that do not apply, and with ours instead.
func environment(host []string, ours ...string) []string {
	ours = append([]string{
		"HOME=/root", "TMPDIR=/tmp", "PATH=" + standardPath, "LANG=C.UTF-8", "USER=root", "LOGNAME=root", "SHELL=/bin/sh",
	}, ours...)
	values := map[string]string{}
	for _, kv := range slices.Concat(host, ours) {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	// Sockets, directories and locales that the root does not have.
	for name := range values {
		switch name {
		case "LANGUAGE", "MAIL", "HOSTNAME", "SSH_AUTH_SOCK", "SSH_AGENT_PID":
			delete(values, name)
		}
		if strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "XDG_") {
			delete(values, name)
		}
	}
	env := make([]string, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		env = append(env, name+"="+values[name])
	}
	return env
}

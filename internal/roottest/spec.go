package roottest

import (
	"maps"
	"slices"
	"strings"
)

// spec is what the first process of a root is told: how to make the root, and
// what to run there.
type spec struct {
	Mount    string // where the root is mounted before it becomes one
	Base     string // the folder with the system
	Writable bool   // the base itself is changed, which is how it is built

	Hostname   string
	PrivateNet bool
	Binds      []string // paths of the machine that are at the same place in the root; as FROM:TO at another
	Files      []file   // written once the root is one
	Token      string   // what marks the root; empty for none

	Command []string
	Dir     string
	Env     []string
}

// file is a file of a root.
type file struct {
	Path, Content string
	Mode          uint32
}

// standardPath is what a login has on Debian.
const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// envToken says to programs of a root that they are in one: it has the token
// that is also in the file [tokenFile].
const (
	envToken  = "POSIX_ROOTTEST"
	tokenFile = "/run/roottest"
)

// environment is what of the machine's environment makes sense in a root, with
// ours in place of what it says for the same names.
func environment(machine []string, ours ...string) []string {
	ours = append([]string{
		"HOME=/root", "TMPDIR=/tmp", "PATH=" + standardPath, "LANG=C.UTF-8", "USER=root", "LOGNAME=root", "SHELL=/bin/sh",
	}, ours...)
	values := map[string]string{}
	for _, kv := range slices.Concat(machine, ours) {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	// Sockets, folders and locales that are not there.
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

package roottest

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// Root is a Debian system with an sshd for a test outside of it.
type Root struct {
	// Dir is the path of the root directory for this process. Absolute symbolic
	// links below it lead outside of the root. With [Options.Systemd], it has none of the file
	// systems that are mounted in the root, such as /run.
	Dir string
	// Hostname is the hostname, which is unique among the roots of a test.
	Hostname string

	port    int
	key     sshdtest.Key
	hostKey ssh.PublicKey
	sshd    sshdRoot
}

// Host has the address and credentials of a root.
type Host struct {
	Address string // 127.0.0.1
	Port    int
	User    string // root
	KeyFile string // path of the private key, without passphrase

	HostKey    ssh.PublicKey
	KnownHosts string // line of the host key in a known_hosts file
}

// Start starts a root for a test and ends it with the test. Each root of a test
// has its own files, users, processes and sshd; all share the network of the
// host, so [Options.PrivateNet] is not allowed. In the fast tier, Start skips
// the test. If roots are impossible, it skips or fails the test as [Main] does.
func Start(tb testing.TB, o Options) *Root {
	tb.Helper()
	tier.CI(tb)
	if o.PrivateNet {
		tb.Fatal("a root with sshd shares the network of the host: use PrivateNet with roottest.Main only")
	}
	r, err := start(tb, o)
	if err != nil {
		if refuse(err) {
			tb.Fatal(err)
		}
		tb.Skip(err)
	}
	return r
}

// Host returns the address and the credentials of the root.
func (r *Root) Host(tb testing.TB) Host {
	tb.Helper()
	h := Host{Address: address, Port: r.port, User: "root", KeyFile: r.key.File(tb, ""), HostKey: r.hostKey}
	h.KnownHosts = knownhosts.Line([]string{address + ":" + strconv.Itoa(r.port)}, r.hostKey) + "\n"
	return h
}

// Run runs a program in the root, as root, and returns its standard output
// without the final line break. An exit status other than zero fails the test.
func (r *Root) Run(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := r.sshd.run(tb.Context(), args)
	if err != nil {
		tb.Fatalf("%s: %q: %v", r.Hostname, args, err)
	}
	return out
}

// Log returns the log of the root's sshd so far. With [Options.Systemd], it returns the
// end of the journal.
func (r *Root) Log() string { return r.sshd.log() }

// Boots returns the number of boots, including the one in progress. It needs [Options.Systemd].
func (r *Root) Boots() int { return r.sshd.boots() }

// WaitBoot waits until the root has booted n times and the last boot is complete. It
// needs [Options.Systemd].
func (r *Root) WaitBoot(tb testing.TB, n int) {
	tb.Helper()
	if err := r.sshd.waitBoot(n); err != nil {
		tb.Fatalf("%s: %v", r.Hostname, err)
	}
}

// address is the address on which the sshd of each root listens.
const address = "127.0.0.1"

// Options configures a root. The zero value is a minimal Debian with apt.
type Options struct {
	// Packages has Debian packages to install in addition to the minimal
	// system. Each set of packages is a base, which is built once.
	Packages []string

	// PrivateNet gives the root a network namespace with only a loopback
	// interface. /proc/sys/net is writable, and packages cannot be downloaded.
	PrivateNet bool

	// Systemd boots the root with systemd as PID 1: sshd is one of the units of
	// systemd, and packages start their services. Only for [Start].
	Systemd bool

	// Starts has the options of the roots that tests start in this one. [Main] builds
	// their bases before the tests, because the tests may have no network.
	Starts []Options
}

// packages returns the sorted set of packages, including those that Systemd needs.
func (o Options) packages() []string {
	sorted := slices.Clone(o.Packages)
	if o.Systemd {
		sorted = append(sorted, "systemd-sysv", "dbus", "libpam-systemd")
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// startedPackages returns the sorted set of packages of a root that [Start] starts.
func (o Options) startedPackages() []string {
	o.Packages = append(slices.Clone(o.Packages), "openssh-server")
	return o.packages()
}

// form is the version of the procedure that builds a base. It is part of the names of bases, so
// that older bases are not used.
const form = "1"

// baseName returns the name of the directory of a base.
func baseName(codename string, packages []string) string {
	if len(packages) == 0 {
		return codename + "-minimal-" + form
	}
	sum := sha256.Sum256([]byte(form + "\n" + strings.Join(packages, "\n")))
	return codename + "-" + hex.EncodeToString(sum[:])[:12]
}

// spec has the instructions for the first process of a root: how to create the
// root, and what to run.
type spec struct {
	Mount    string // mount point of the root before pivot
	Base     string // directory of the system
	Writable bool   // change the base itself, to build it
	Systemd  bool   // boot systemd, each time in new namespaces

	// These fields are set only for the first process of a boot.
	Root   string // mounted system, in place of Mount and Base
	Cgroup string // path of the cgroup that becomes the root of the cgroups

	Hostname   string
	PrivateNet bool
	Binds      []string // paths of the host to bind at the same path, or in the form FROM:TO
	Files      []file   // written after pivot
	Token      string   // identifies the root; may be empty

	Command []string
	Dir     string
	Env     []string
}

// file is a file to write in a root or a base.
type file struct {
	Path, Content string
	Mode          uint32
}

// standardPath is the PATH of a login as root on Debian.
const standardPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

const (
	// envToken is an environment variable of programs in a root. Its value is the
	// token of the root.
	envToken = "POSIX_ROOTTEST"
	// tokenFile is a file in a root with its token and its mount namespace.
	tokenFile = "/run/roottest"
)

// environment returns the environment of a root: the environment host without settings
// that do not apply to the root, with the settings of the root and those in ours.
func environment(host []string, ours ...string) []string {
	ours = append([]string{
		"HOME=/root", "TMPDIR=/tmp", "PATH=" + standardPath, "LANG=C.UTF-8", "USER=root", "LOGNAME=root", "SHELL=/bin/sh",
	}, ours...)
	values := map[string]string{}
	for _, kv := range slices.Concat(host, ours) {
		name, value, _ := strings.Cut(kv, "=")
		values[name] = value
	}
	// Remove settings that are wrong in the root: its name, sockets, directories and locales differ.
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

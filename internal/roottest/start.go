package roottest

import (
	"strconv"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// Root is a Debian system with an sshd for a test outside of it.
type Root struct {
	// Dir is the path of its root directory for this process. Absolute symbolic
	// links in it do not resolve.
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
	KnownHosts string // its line in a known_hosts file
}

// Start starts a root for a test and ends it with the test. Each root of a test
// has its own files, users, processes and sshd; all share the network of the
// host, so [Options.PrivateNet] is not allowed. In the fast tier, Start skips
// the test.
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

// Host returns the address and credentials.
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

// Log returns the log of its sshd so far.
func (r *Root) Log() string { return r.sshd.log() }

// address is the address of the servers of all roots.
const address = "127.0.0.1"

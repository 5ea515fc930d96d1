package roottest

import (
	"strconv"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// Root is a Debian system with an sshd, which a test outside of it uses.
type Root struct {
	// Dir is its root folder, as this process sees it. Absolute links in it lead
	// elsewhere.
	Dir string
	// Hostname is what the system says its name is: no two roots of a test have the
	// same.
	Hostname string

	port    int
	key     sshdtest.Key
	hostKey ssh.PublicKey
	machine machine
}

// Host is how to log in to a root.
type Host struct {
	Address string // 127.0.0.1
	Port    int
	User    string // root
	KeyFile string // the path of the private key, which has no passphrase

	HostKey    ssh.PublicKey
	KnownHosts string // the line that known_hosts files have for it
}

// Start starts a system for a test, and ends it with the test. There can be as
// many as a test wants; each has its own files, users, processes and sshd, and all
// share the machine's network: [Options.PrivateNet] is not for them. In the fast tier
// it skips the test.
func Start(tb testing.TB, o Options) *Root {
	tb.Helper()
	tier.CI(tb)
	if o.PrivateNet {
		tb.Fatal("a root that is reached over SSH shares the machine's network: PrivateNet is for roottest.Main")
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

// Host is how the test logs in.
func (r *Root) Host(tb testing.TB) Host {
	tb.Helper()
	h := Host{Address: address, Port: r.port, User: "root", KeyFile: r.key.File(tb, ""), HostKey: r.hostKey}
	h.KnownHosts = knownhosts.Line([]string{address + ":" + strconv.Itoa(r.port)}, r.hostKey) + "\n"
	return h
}

// Run runs a program in the root, as root, and gives what it wrote to standard
// output, without the line break at its end. Any other status than zero fails the
// test.
func (r *Root) Run(tb testing.TB, args ...string) string {
	tb.Helper()
	out, err := r.machine.run(tb.Context(), args)
	if err != nil {
		tb.Fatalf("%s: %q: %v", r.Hostname, args, err)
	}
	return out
}

// Log is what its sshd said so far.
func (r *Root) Log() string { return r.machine.log() }

// address is where the servers of all roots listen.
const address = "127.0.0.1"

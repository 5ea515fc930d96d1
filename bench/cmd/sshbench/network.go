package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// network is one server and the ways to it.
type network struct {
	server *sshdtest.Server
	proxy  *nettest.Proxy

	local, near, far way
}

// way is how files get to a folder of this machine. The zero value but for the
// name is without SSH.
type way struct {
	name       string
	host, port string
	user       string
	key        string // the path of the private key
	hostKey    string // as in known_hosts, without the names
	knownHosts string // the path of a file with it
	seen       func() traffic
}

// traffic is what there was on a way until now.
type traffic struct{ connections, turns int }

func newNetwork(scratch string, roundTrip time.Duration) (*network, error) {
	key, err := sshdtest.Generate(sshdtest.ED25519)
	if err != nil {
		return nil, err
	}
	private, err := key.PEM("")
	if err != nil {
		return nil, err
	}
	keyFile := filepath.Join(scratch, "id")
	if err := os.WriteFile(keyFile, private, 0o600); err != nil {
		return nil, err
	}
	me := sshdtest.Me(key.PublicKey())
	n := &network{}
	if n.server, err = sshdtest.Launch(sshdtest.Config{Users: []sshdtest.User{me}}); err != nil {
		return nil, err
	}
	if n.proxy, err = nettest.New(n.server.Addr(), roundTrip/2); err != nil {
		return nil, errors.Join(err, n.server.Close())
	}
	_, hostKey, _ := strings.Cut(strings.TrimSpace(n.server.KnownHosts()), " ")
	via := func(name, addr string, turns func() int) (way, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return way{}, err
		}
		known := filepath.Join(scratch, "known_hosts-"+port)
		if err := os.WriteFile(known, []byte(fmt.Sprintf("[%s]:%s %s\n", host, port, hostKey)), 0o600); err != nil {
			return way{}, err
		}
		return way{
			name: name, host: host, port: port, user: me.Name, key: keyFile, hostKey: hostKey, knownHosts: known,
			seen: func() traffic { return traffic{n.server.Connections(), turns()} },
		}, nil
	}
	n.local = way{name: "local", seen: func() traffic { return traffic{} }}
	var errNear, errFar error
	n.near, errNear = via("loopback", n.server.Addr(), func() int { return 0 })
	n.far, errFar = via(fmt.Sprintf("%d ms", roundTrip.Milliseconds()), n.proxy.Addr(), n.proxy.Turns)
	if err := errors.Join(errNear, errFar); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func (n *network) close() error {
	n.proxy.Close()
	return n.server.Close()
}

// ssh is the command line of a client that asks nobody anything.
func (w *way) ssh() []string {
	return []string{
		"ssh", "-F", "none", "-i", w.key, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "StrictHostKeyChecking=yes", "-o", "UserKnownHostsFile=" + w.knownHosts, "-p", w.port, "-l", w.user,
	}
}

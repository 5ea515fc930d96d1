//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/nettest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// network is an SSH server with two routes: direct, and with a delay.
type network struct {
	server    *sshdtest.Server
	proxy     *nettest.Proxy
	near, far route
}

// route is a network path to the server, with the client's credentials.
type route struct {
	name       string
	host, port string
	user       string
	key        string // path of the private key
	hostKey    string // as in known_hosts, without host names
	knownHosts string // path of a file with the host key
	traffic    func() traffic
}

func newNetwork(scratch string, roundTrip time.Duration) (_ *network, err error) {
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
	via := func(name, addr string, turns func() int) (route, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return route{}, err
		}
		r := route{
			name: name, host: host, port: port, user: me.Name, key: keyFile, hostKey: strings.TrimSpace(hostKey),
			knownHosts: filepath.Join(scratch, "known_hosts-"+port),
			traffic:    func() traffic { return traffic{n.server.Connections(), turns()} },
		}
		return r, os.WriteFile(r.knownHosts, []byte(fmt.Sprintf("[%s]:%s %s\n", host, port, hostKey)), 0o600)
	}
	var errNear, errFar error
	n.near, errNear = via("loopback", n.server.Addr(), func() int { return 0 })
	n.far, errFar = via(milliseconds(roundTrip), n.proxy.Addr(), n.proxy.Turns)
	if err := errors.Join(errNear, errFar); err != nil {
		return nil, errors.Join(err, n.close())
	}
	return n, nil
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func (n *network) close() error {
	n.proxy.Close()
	return n.server.Close()
}

// ssh returns the command line of an SSH client for the route, without the host.
func (r *route) ssh() string {
	return strings.Join(append([]string{"ssh", "-p", r.port, "-l", r.user}, r.options()...), " ")
}

// scp returns a command that copies a file to the route's host.
func (r *route) scp(ctx context.Context, from, to string) *exec.Cmd {
	args := append([]string{"-P", r.port}, r.options()...)
	return exec.CommandContext(ctx, "scp", append(args, from, r.user+"@"+r.host+":"+to)...)
}

// options returns the options of ssh and scp for the route.
func (r *route) options() []string {
	return []string{
		"-F", "none", "-i", r.key, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "StrictHostKeyChecking=yes", "-o", "UserKnownHostsFile=" + r.knownHosts,
	}
}

// provider returns a provider block in which the server is the host web.
func (r *route) provider() string {
	return fmt.Sprintf(`provider "posix" {
  ssh_config = "none"
  hosts = {
    web = {
      address          = %q
      port             = %s
      user             = %q
      private_key_path = %q
      host_key         = [%q]
    }
  }
}

`, r.host, r.port, r.user, r.key, r.hostKey)
}

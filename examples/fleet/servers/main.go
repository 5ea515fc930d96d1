// Command servers runs three SSH servers on loopback, and writes the variables of the
// configuration in the parent directory, so that the example can be tried without three hosts.
//
//	go run ./examples/fleet/servers
//
// It needs OpenSSH's sshd. It removes its files when it is interrupted.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func main() {
	dir := flag.String("dir", "examples/fleet", "directory of the configuration")
	flag.Parse()
	if err := run(*dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

// hosts has the hosts in the order in which they are started. jump is the name of
// the jump host, or "".
var hosts = []struct{ name, jump string }{
	{name: "bastion"},
	{name: "web"},
	{name: "db", jump: "bastion"},
}

// variables has the variables of the configuration.
type variables struct {
	Hosts map[string]host `json:"hosts"`
	User  string          `json:"user"`
	Key   string          `json:"private_key_path"`
	Root  string          `json:"root"`
}

type host struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
	HostKey string `json:"host_key"`
	Jump    string `json:"jump,omitempty"`
}

// run runs the servers until it is interrupted, and removes their files.
func run(dir string, out io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "main.tf")); err != nil {
		return fmt.Errorf("%w. Run the command in the root directory of the repository, or set -dir to the directory of the configuration", err)
	}
	root, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	f := &fleet{out: out, known: variables{Hosts: map[string]host{}, Key: filepath.Join(root, "id"), Root: root}}
	defer func() { err = errors.Join(err, f.close()) }()
	if err := f.start(); err != nil {
		return err
	}

	text, err := json.MarshalIndent(f.known, "", "  ")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "fleet.auto.tfvars.json")
	if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file)) }()
	if _, err := fmt.Fprintf(out, "Wrote %s. The files of the hosts are in %s.\nPress Ctrl-C to stop.\n", file, root); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// fleet has the running servers.
type fleet struct {
	out     io.Writer
	known   variables
	servers []*sshdtest.Server // in the order of hosts
}

// start starts the servers with a new key.
func (f *fleet) start() error {
	key, err := sshdtest.Generate(sshdtest.ED25519)
	if err != nil {
		return err
	}
	private, err := key.PEM("")
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.known.Key, private, 0o600); err != nil {
		return err
	}
	me := sshdtest.Me(key.PublicKey())
	f.known.User = me.Name
	for _, h := range hosts {
		config := sshdtest.Config{Users: []sshdtest.User{me}}
		if isJump(h.name) {
			config.LogLevel = "DEBUG1" // logs forwarded connections
		}
		server, err := sshdtest.Launch(config)
		if err != nil {
			return fmt.Errorf("start %s: %w", h.name, err)
		}
		f.servers = append(f.servers, server)
		_, hostKey, _ := strings.Cut(strings.TrimSpace(server.KnownHosts()), " ")
		f.known.Hosts[h.name] = host{Address: server.Host(), Port: server.Port(), HostKey: hostKey, Jump: h.jump}
		if _, err := fmt.Fprintf(f.out, "%-8s %s\n", h.name, server.Addr()); err != nil {
			return err
		}
	}
	return nil
}

// isJump reports whether a host is the jump host of another host.
func isJump(name string) bool {
	return slices.ContainsFunc(hosts, func(h struct{ name, jump string }) bool { return h.jump == name })
}

// close stops the servers and prints the number of their connections.
func (f *fleet) close() error {
	var errs []error
	for i, server := range f.servers {
		text := fmt.Sprintf("%s had %d connections", hosts[i].name, server.Connections())
		if isJump(hosts[i].name) {
			text += fmt.Sprintf(", and forwarded %d", server.Count("server_request_direct_tcpip"))
		}
		_, err := fmt.Fprintln(f.out, text)
		errs = append(errs, err, server.Close())
	}
	return errors.Join(errs...)
}

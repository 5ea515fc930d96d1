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
	"strings"
	"syscall"

	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

func main() {
	dir := flag.String("dir", "examples/fleet", "the folder of the configuration")
	flag.Parse()
	if err := run(*dir, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "servers:", err)
		os.Exit(1)
	}
}

// machines are in this order. The last one is behind the first.
var machines = []struct{ name, behind string }{
	{name: "bastion"},
	{name: "web"},
	{name: "db", behind: "bastion"},
}

// variables are those of the configuration.
type variables struct {
	Machines map[string]machine `json:"machines"`
	User     string             `json:"user"`
	Key      string             `json:"private_key_path"`
	Root     string             `json:"root"`
}

type machine struct {
	Address string `json:"address"`
	Port    int    `json:"port"`
	HostKey string `json:"host_key"`
	Behind  string `json:"behind,omitempty"`
}

// run keeps the servers until it is interrupted, and leaves nothing.
func run(dir string, out io.Writer) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "main.tf")); err != nil {
		return fmt.Errorf("run it in the repository, or say where the configuration is with -dir: %w", err)
	}
	root, err := os.MkdirTemp("", "fleet-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
	f := &fleet{out: out, known: variables{Machines: map[string]machine{}, Key: filepath.Join(root, "id"), Root: root}}
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
	if _, err := fmt.Fprintf(out, "%s is written. Files of the machines are in %s.\nPress Ctrl-C to end all of it.\n", file, root); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// fleet is the servers that run.
type fleet struct {
	out     io.Writer
	known   variables
	servers []*sshdtest.Server // as many of machines, in the same order
}

// start runs all of them, for a key that is made for this.
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
	for _, m := range machines {
		config := sshdtest.Config{Users: []sshdtest.User{me}}
		if leads(m.name) {
			config.LogLevel = "DEBUG1" // in which it says what goes through it
		}
		server, err := sshdtest.Launch(config)
		if err != nil {
			return fmt.Errorf("start %s: %w", m.name, err)
		}
		f.servers = append(f.servers, server)
		_, hostKey, _ := strings.Cut(strings.TrimSpace(server.KnownHosts()), " ")
		f.known.Machines[m.name] = machine{Address: server.Host(), Port: server.Port(), HostKey: hostKey, Behind: m.behind}
		if _, err := fmt.Fprintf(f.out, "%-8s %s\n", m.name, server.Addr()); err != nil {
			return err
		}
	}
	return nil
}

// leads says whether other machines are behind one.
func leads(name string) bool {
	for _, m := range machines {
		if m.behind == name {
			return true
		}
	}
	return false
}

// close ends them and says what they have seen.
func (f *fleet) close() error {
	var errs []error
	for i, server := range f.servers {
		text := fmt.Sprintf("%s had %d connections", machines[i].name, server.Connections())
		if leads(machines[i].name) {
			text += fmt.Sprintf(", through which there were %d to machines behind it", server.Count("server_request_direct_tcpip"))
		}
		_, err := fmt.Fprintln(f.out, text)
		errs = append(errs, err, server.Close())
	}
	return errors.Join(errs...)
}

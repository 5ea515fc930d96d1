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
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

const folders = 50

// world is a source, a server and the line to it, and what brings the one to the other.
type world struct {
	o       options
	scratch string
	server  *sshdtest.Server
	proxy   *nettest.Proxy
	cli     tfcli.CLI
	user    string
	hostKey string
}

func newWorld(ctx context.Context, o options) (w *world, err error) {
	w = &world{o: o}
	if w.scratch, err = os.MkdirTemp("", "treebench-*"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	key, err := sshdtest.Generate(sshdtest.ED25519)
	if err != nil {
		return nil, err
	}
	private, err := key.PEM("")
	if err != nil {
		return nil, err
	}
	me := sshdtest.Me(key.PublicKey())
	w.user = me.Name
	if err := os.WriteFile(w.at("id"), private, 0o600); err != nil {
		return nil, err
	}
	if w.server, err = sshdtest.Launch(sshdtest.Config{Users: []sshdtest.User{me}}); err != nil {
		return nil, err
	}
	if w.proxy, err = nettest.New(w.server.Addr(), o.delay/2); err != nil {
		return nil, err
	}
	_, w.hostKey, _ = strings.Cut(strings.TrimSpace(w.server.KnownHosts()), " ")
	host, port := w.address()
	if err := os.WriteFile(w.at("known_hosts"), []byte(fmt.Sprintf("[%s]:%s %s\n", host, port, w.hostKey)), 0o600); err != nil {
		return nil, err
	}
	return w, w.build(ctx)
}

func (w *world) at(name string) string { return filepath.Join(w.scratch, name) }

func (w *world) address() (host, port string) {
	host, port, _ = net.SplitHostPort(w.proxy.Addr()) // a listener's address
	return host, port
}

// build makes the provider of this repository.
func (w *world) build(ctx context.Context) (err error) {
	if w.cli, _, err = tfcli.FromEnvironment().Find(ctx); err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	repo, ok := tfcli.RepositoryRoot(here)
	if !ok {
		return errors.New("run it inside the repository: the provider is built from there")
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", w.at("terraform-provider-posix"), ".")
	build.Dir, build.Stderr = repo, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build in %s: %w", repo, err)
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"posixform/posix\" = %q\n  }\n  direct {}\n}\n", w.scratch)
	return os.WriteFile(w.at("cli.tfrc"), []byte(text), 0o600)
}

func (w *world) close() (err error) {
	if w.proxy != nil {
		w.proxy.Close()
	}
	if w.server != nil {
		err = w.server.Close()
	}
	return errors.Join(err, os.RemoveAll(w.scratch))
}

// fill writes n files, of which every hundredth has another content in the second version.
func fill(dir string, n, version int) error {
	for i := range n {
		at := filepath.Join(dir, fmt.Sprintf("folder-%d", i%folders), fmt.Sprintf("file-%d.html", i))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		v := 1
		if i%100 == 0 {
			v = version
		}
		content := fmt.Sprintf("version %d of file %d\n%s", v, i, strings.Repeat("0123456789abcde\n", 64+i%64))
		if old, err := os.ReadFile(at); err == nil && string(old) == content {
			continue
		}
		if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// measure runs one step, and compares what it has made.
func (w *world) measure(ctx context.Context, s step) (taken, error) {
	if err := s.prepare(); err != nil {
		return taken{}, err
	}
	cmd := s.command(ctx)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that an engine ends its provider
	cmd.WaitDelay = 20 * time.Second
	turns, start := w.proxy.Turns(), time.Now()
	output, err := cmd.CombinedOutput()
	t := taken{time.Since(start), w.proxy.Turns() - turns}
	if err != nil {
		return t, fmt.Errorf("%w; the end of its output:\n%s", err, output[max(0, len(output)-2000):])
	}
	if output, err := exec.CommandContext(ctx, "diff", "-r", s.source, s.to).CombinedOutput(); err != nil {
		return t, fmt.Errorf("what is there differs: %w: %.500s", err, output)
	}
	return t, nil
}

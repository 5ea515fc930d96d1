package hosts_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/resources/hosts"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// memoryHost is a host in memory that [world.remote] created.
type memoryHost struct {
	*memory.Host
	options sshhost.Options
	world   *world
}

func (m *memoryHost) DialHost(context.Context, string, string) (net.Conn, error) {
	return nil, errors.ErrUnsupported
}

func (m *memoryHost) Close() error {
	m.world.mu.Lock()
	defer m.world.mu.Unlock()
	m.world.closed = append(m.world.closed, m.Name())
	return m.world.closeErr
}

// world is a test environment for hosts: environment variables, the SSH configuration, and
// the names of the created and closed hosts.
type world struct {
	env  map[string]string
	ssh  string // the SSH configuration of the user
	home string

	mu       sync.Mutex
	made     []string
	closed   []string
	makeErr  error
	closeErr error
	hold     map[string]chan struct{} // creating one of these hosts waits until its channel is closed
}

func (w *world) remote(o sshhost.Options) (host.Host, error) {
	if hold := w.hold[o.Name]; hold != nil {
		<-hold
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.made = append(w.made, o.Name)
	if w.makeErr != nil {
		return nil, w.makeErr
	}
	return &memoryHost{Host: memory.New(memory.Config{Name: o.Name}), options: o, world: w}, nil
}

// hosts returns the hosts of a provider configuration. It creates a new home directory with the SSH
// configuration.
func (w *world) hosts(t *testing.T, p hosts.Provider) *lifecycle.Hosts {
	t.Helper()
	w.home = t.TempDir()
	if err := os.Mkdir(filepath.Join(w.home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.home, ".ssh", "config"), []byte("Host *\n"+w.ssh+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return hosts.New(&p, hosts.Backends{
		Local:  func() (host.Host, error) { return memory.New(memory.Config{Name: host.LocalName}), nil },
		Remote: w.remote,
		Environ: func() (sshconfig.Env, error) {
			return sshconfig.Env{User: "me", UID: "1000", Home: w.home, HostName: "here", Getenv: func(name string) (string, bool) {
				value, ok := w.env[name]
				return value, ok
			}, Environ: func() (all []string) {
				for name, value := range w.env {
					all = append(all, name+"="+value)
				}
				return all
			}}, nil
		},
	})
}

func decimal(n int) string { return strconv.Itoa(n) }

func is[T any](v T) runtime.Value[T] { return runtime.Known(v) }

func later[T any]() runtime.Value[T] { return runtime.Unknown[T]() }

func list(texts ...string) runtime.Value[[]runtime.Value[string]] {
	values := []runtime.Value[string]{}
	for _, w := range texts {
		values = append(values, is(w))
	}
	return is(values)
}

// named returns the value of the attribute hosts.
func named(m map[string]hosts.Host) runtime.Value[map[string]runtime.Value[hosts.Host]] {
	values := map[string]runtime.Value[hosts.Host]{}
	for name, h := range m {
		values[name] = is(h)
	}
	return is(values)
}

// find returns the host with a name, and fails the test if there is an error.
func find(t *testing.T, h *lifecycle.Hosts, name string) *memoryHost {
	t.Helper()
	found, err := h.Find(&name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	m, ok := found.(*memoryHost)
	if !ok {
		t.Fatalf("%s is a %T, want a *memoryHost", name, found)
	}
	if m.Name() != name {
		t.Errorf("the name of the host is %s, want %s", m.Name(), name)
	}
	return m
}

// refused checks that finding a host returns an error about the attribute host that contains all
// texts of want.
func refused(t *testing.T, h *lifecycle.Hosts, name string, want ...string) {
	t.Helper()
	found, err := h.Find(&name)
	if err == nil {
		t.Errorf("%s was found: %v", name, found)
		return
	}
	for _, w := range append(want, "host: ") {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %v, want %q", name, err, w)
		}
	}
}

// through returns the names of a host's jump hosts in the order of the route.
func through(m *memoryHost) string {
	var names []string
	for via := m.options.Via; via != nil; {
		hop := via.(*memoryHost) //nolint:forcetypeassert // all hosts of the test have this type
		names = append(names, hop.Name())
		via = hop.options.Via
	}
	slices.Reverse(names)
	return strings.Join(names, " ")
}

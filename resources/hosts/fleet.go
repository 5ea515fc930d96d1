package hosts

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// Machines are how hosts are made. Making one connects to nothing.
type Machines struct {
	// Local is this machine.
	Local func() (host.Host, error)
	// Remote is another one. Where it is an io.Closer, it is closed in the end. Nil
	// is for a provider that reaches no others.
	Remote func(sshhost.Options) (host.Host, error)
	// Environ is on whose behalf this is; nil is the process.
	Environ func() (sshconfig.Env, error)
}

// New is what the configuration of the provider gives its resources.
func New(p *Provider, m Machines) *lifecycle.Hosts {
	if m.Environ == nil {
		m.Environ = sshconfig.Environ
	}
	f := &fleet{
		config: p, machines: m, environ: sync.OnceValues(m.Environ), local: sync.OnceValues(m.Local),
		variables: make(map[string][]string), sshConfigs: make(map[string]*sshconfig.Config),
		found: make(map[string]onceHost), made: make(map[string]onceHost),
	}
	if p.MaxConnections != nil {
		f.slots = sshhost.NewSlots(int(*p.MaxConnections))
	}
	hosts, _ := p.Hosts.Get()
	for name := range hosts {
		f.variables[variableName(name)] = append(f.variables[variableName(name)], name)
	}
	return lifecycle.New(f)
}

// onceHost makes a host when it is called first.
type onceHost func() (host.Host, error)

// fleet finds hosts, and makes each of them once. No lock is held while one is
// made, so that none waits for another.
type fleet struct {
	config    *Provider
	machines  Machines
	environ   func() (sshconfig.Env, error)
	local     onceHost
	slots     *sshhost.Slots
	variables map[string][]string // names of hosts by what stands for them in variables

	mu         sync.Mutex
	sshConfigs map[string]*sshconfig.Config
	found      map[string]onceHost // by name
	made       map[string]onceHost // by way: a host is another one through others
	closers    []io.Closer
	closed     bool
}

// Default is part of [lifecycle.Finder].
func (f *fleet) Default() string {
	if f.config.DefaultHost != nil {
		return *f.config.DefaultHost
	}
	return host.LocalName
}

// Find is part of [lifecycle.Finder].
func (f *fleet) Find(name string) (host.Host, error) {
	if name == host.LocalName {
		return f.local()
	}
	return f.once(f.found, name, func() (host.Host, error) {
		w, err := f.resolve(reference{name: name}, nil)
		switch {
		case err != nil:
			return nil, err
		case len(w.unknown) > 0:
			return lifecycle.NewPending(name, w.unknown...), nil
		}
		return f.make(w)
	})()
}

func (f *fleet) once(table map[string]onceHost, key string, create onceHost) onceHost {
	f.mu.Lock()
	defer f.mu.Unlock()
	once := table[key]
	if once == nil {
		once = sync.OnceValues(create)
		table[key] = once
	}
	return once
}

// make makes the host at the end of a way, and those on it.
func (f *fleet) make(w *way) (host.Host, error) {
	return f.once(f.made, w.key(), func() (host.Host, error) {
		options := w.options
		if w.via != nil {
			via, err := f.make(w.via)
			if err != nil {
				return nil, err
			}
			options.Via = via
		}
		if err := options.Check(); err != nil {
			return nil, err
		}
		if f.machines.Remote == nil {
			return nil, fmt.Errorf("host %s: this provider only supports the host that it runs on", options.Name)
		}
		h, err := f.machines.Remote(options)
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", options.Name, err)
		}
		return h, f.keep(h)
	})()
}

var errClosed = errors.New("the provider is closed")

// keep remembers to close a host.
func (f *fleet) keep(h host.Host) error {
	closer, ok := h.(io.Closer)
	f.mu.Lock()
	closed := f.closed
	if ok && !closed {
		f.closers = append(f.closers, closer)
	}
	f.mu.Unlock()
	switch {
	case !closed:
		return nil
	case ok:
		return errors.Join(errClosed, closer.Close())
	default:
		return errClosed
	}
}

// Close closes the hosts that were made, those that others go through last.
func (f *fleet) Close() error {
	f.mu.Lock()
	closers := f.closers
	f.closers, f.closed = nil, true
	f.mu.Unlock()
	var errs []error
	for _, c := range slices.Backward(closers) {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// sshConfig is the SSH configuration that a host has.
func (f *fleet) sshConfig(env sshconfig.Env, path string, said bool) *sshconfig.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.sshConfigs[path]
	if c == nil {
		switch {
		case !said:
			c = sshconfig.Default(env)
		case path == noConfig:
			c = sshconfig.None(env)
		default:
			c = sshconfig.File(env, inHome(env, path))
		}
		f.sshConfigs[path] = c
	}
	return c
}

const noConfig = "none"

// layers are where the settings of a host are; named is the host's own
// configuration, if it has one.
func (f *fleet) layers(name string, named *Host) []layer {
	layers := make([]layer, 0, 2)
	if named != nil {
		layers = append(layers, layer{Settings: named.Settings, path: hostPath(name) + ".", env: "POSIX_HOST_" + variableName(name) + "_"})
	}
	return append(layers, layer{Settings: f.config.Settings, env: "POSIX_"})
}

// hostPath is a host as a message names it.
func hostPath(name string) string { return fmt.Sprintf("hosts[%q]", name) }

// getenv refuses variables that could be about two hosts.
func (f *fleet) getenv(env sshconfig.Env, name string, named *Host, errs *[]error) func(string) (string, bool) {
	prefix := "POSIX_HOST_" + variableName(name) + "_"
	others := f.variables[variableName(name)]
	return func(variable string) (string, bool) {
		value, ok := env.Getenv(variable)
		if ok && value != "" && named != nil && len(others) > 1 && len(variable) > len(prefix) && variable[:len(prefix)] == prefix {
			*errs = append(*errs, fmt.Errorf("the environment variable %s is ambiguous: it matches the hosts %q. Rename all but one", variable, slices.Sorted(slices.Values(others))))
		}
		return value, ok
	}
}

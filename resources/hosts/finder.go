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

// Backends are the constructors of hosts and the source of the environment. The constructors do not connect to
// hosts.
type Backends struct {
	// Local returns the host that the provider runs on.
	Local func() (host.Host, error)
	// Remote returns a host over SSH. If it returns an error, the host is not used. Closing the
	// provider closes the host if the host is an io.Closer. Remote is nil if the provider does not
	// support remote hosts.
	Remote func(sshhost.Options) (host.Host, error)
	// Environ returns the user and the environment of the provider. Nil stands for those
	// of the process.
	Environ func() (sshconfig.Env, error)
}

// New returns the hosts of the provider's configuration.
func New(p *Provider, m Backends) *lifecycle.Hosts {
	if m.Environ == nil {
		m.Environ = sshconfig.Environ
	}
	f := &finder{
		config: p, backends: m, environ: sync.OnceValues(m.Environ), local: sync.OnceValues(m.Local),
		variables: make(map[string][]string), sshConfigs: make(map[string]*sshconfig.Config),
		byName: make(map[string]onceHost), byRoute: make(map[string]onceHost), current: make(map[string]string),
	}
	if p.MaxConnections != nil {
		f.slots = sshhost.NewSlots(int(*p.MaxConnections))
	}
	hosts, _ := p.Hosts.Get()
	for name, h := range hosts {
		known, _ := h.Get()
		for _, former := range formerNames(known) {
			if former != "" {
				f.current[former] = name
			}
		}
		f.variables[variableName(name)] = append(f.variables[variableName(name)], name)
	}
	return lifecycle.New(f)
}

// onceHost returns a host. The first call creates it.
type onceHost func() (host.Host, error)

// finder finds hosts and creates each of them once. It does not hold its lock while it
// creates a host, so that hosts are created concurrently.
type finder struct {
	config    *Provider
	backends  Backends
	environ   func() (sshconfig.Env, error)
	local     onceHost
	slots     *sshhost.Slots
	variables map[string][]string // names of hosts by variableName
	current   map[string]string   // current names of hosts by former name

	mu         sync.Mutex
	sshConfigs map[string]*sshconfig.Config
	byName     map[string]onceHost // hosts by name
	byRoute    map[string]onceHost // hosts by key of the route: the same host over two routes has two connections
	closers    []io.Closer
	closed     bool
}

// Default implements [lifecycle.Finder].
func (f *finder) Default() string {
	if f.config.DefaultHost != nil {
		return f.CurrentName(*f.config.DefaultHost)
	}
	return host.LocalName
}

// Find implements [lifecycle.Finder].
func (f *finder) Find(name string) (host.Host, error) {
	name = f.CurrentName(name)
	if name == host.LocalName {
		return f.local()
	}
	return f.once(f.byName, name, func() (host.Host, error) {
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

// Values of on_unreachable.
const (
	onUnreachableError = "error"
	onUnreachableSkip  = "skip"
)

// formerNames returns the former names of a host. An unknown name is returned as an empty string.
func formerNames(h Host) []string {
	values, _ := h.Formerly.Get()
	names := make([]string, len(values))
	for i, v := range values {
		names[i], _ = v.Get()
	}
	return names
}

// CurrentName implements [lifecycle.Finder].
func (f *finder) CurrentName(name string) string {
	if current, renamed := f.current[name]; renamed {
		return current
	}
	return name
}

// SkipsUnreachable implements [lifecycle.Finder].
func (f *finder) SkipsUnreachable(name string) bool {
	hosts, _ := f.config.Hosts.Get()
	var named *Host
	if h, ok := hosts[name].Get(); ok {
		named = &h
	}
	policy, _ := findValue(&lookup{layers: f.layers(name, named)}, "on_unreachable", func(s *Settings) text { return s.OnUnreachable })
	return policy == onUnreachableSkip
}

func (f *finder) once(table map[string]onceHost, key string, create onceHost) onceHost {
	f.mu.Lock()
	defer f.mu.Unlock()
	once := table[key]
	if once == nil {
		once = sync.OnceValues(create)
		table[key] = once
	}
	return once
}

// make returns the host at the end of a route. It creates the host and its jump hosts if
// they do not exist.
func (f *finder) make(w *route) (host.Host, error) {
	return f.once(f.byRoute, w.key(), func() (host.Host, error) {
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
		if f.backends.Remote == nil {
			return nil, fmt.Errorf("host %s: this provider only supports the host that it runs on", options.Name)
		}
		h, err := f.backends.Remote(options)
		if err != nil {
			return nil, fmt.Errorf("host %s: %w", options.Name, err)
		}
		return h, f.closeLater(h)
	})()
}

var errClosed = errors.New("the provider is closed")

// closeLater records the host to be closed with the provider. If the provider is already closed,
// closeLater closes the host and returns an error.
func (f *finder) closeLater(h host.Host) error {
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

// Close closes the created hosts, each jump host after the hosts that are reached through it, and returns
// their errors.
func (f *finder) Close() error {
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

// sshConfig returns the SSH configuration of the file at path, an empty configuration if path is noConfig,
// or that of the user and the system if isSet is false.
func (f *finder) sshConfig(env sshconfig.Env, path string, isSet bool) *sshconfig.Config {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.sshConfigs[path]
	if c == nil {
		switch {
		case !isSet:
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

// layers returns the settings that apply to a host, most specific first. named is the
// host's own configuration, or nil if it has none.
func (f *finder) layers(name string, named *Host) []layer {
	layers := make([]layer, 0, 2)
	if named != nil {
		layers = append(layers, layer{Settings: named.Settings, path: hostPath(name) + ".", env: "POSIX_HOST_" + variableName(name) + "_"})
	}
	return append(layers, layer{Settings: f.config.Settings, env: "POSIX_"})
}

// hostPath returns the path of a host in the provider's configuration, for messages.
func hostPath(name string) string { return fmt.Sprintf("hosts[%q]", name) }

// getenv returns a function like env.Getenv. The function adds an error to errs for a variable of the host
// that is set and also matches other hosts.
func (f *finder) getenv(env sshconfig.Env, name string, named *Host, errs *[]error) func(string) (string, bool) {
	prefix := "POSIX_HOST_" + variableName(name) + "_"
	others := f.variables[variableName(name)]
	return func(variable string) (string, bool) {
		value, ok := env.Getenv(variable)
		if ok && value != "" && named != nil && len(others) > 1 && len(variable) > len(prefix) && variable[:len(prefix)] == prefix {
			*errs = append(*errs, fmt.Errorf("the environment variable %s is ambiguous: it matches the hosts %q. Rename all but one of these hosts", variable, slices.Sorted(slices.Values(others))))
		}
		return value, ok
	}
}

package hosts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/host/sshhost/sshconfig"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/lifecycle"
)

// reference is the name of a host in the provider's configuration or a resource or, if
// bySSH is true, in the SSH configuration, whose names are not keys of the provider's hosts.
type reference struct {
	name  string
	bySSH bool
}

func (r reference) String() string {
	if r.bySSH {
		return r.name + " (SSH configuration)"
	}
	return r.name
}

// route is a host with the jump hosts to it.
type route struct {
	reference
	options sshhost.Options
	via     *route
	unknown []string // attributes that are known only after apply; if any, the options are incomplete
}

// key returns a string that identifies the route. The same host over two routes has two connections.
func (w *route) key() string {
	if w.via == nil {
		return w.String()
	}
	return w.via.key() + " → " + w.String()
}

// resolve returns the route to a host, without creating hosts. trail is the list of hosts
// whose jump hosts led to this one, to find cycles.
func (f *finder) resolve(ref reference, trail []reference) (*route, error) {
	if slices.Contains(trail, ref) {
		names := make([]string, len(trail)+1)
		for i, r := range append(slices.Clip(trail), ref) {
			names[i] = r.name
		}
		return nil, fmt.Errorf("the jump hosts of %s form a cycle: %s. Change proxy_jump", trail[0].name, strings.Join(names, " → "))
	}
	w, jumps, err := f.resolveHost(ref)
	if err != nil {
		return nil, err
	}
	for i, jump := range jumps {
		if jump == ref {
			return nil, fmt.Errorf("the host %s cannot be reached through itself. Change proxy_jump", ref.name)
		}
		var hop *route
		if i == 0 {
			hop, err = f.resolve(jump, append(slices.Clip(trail), ref))
		} else if hop, _, err = f.resolveHost(jump); err == nil {
			hop.via, hop.options.ProxyCommand = w.via, nil
		}
		if err != nil {
			return nil, fmt.Errorf("jump host of %s: %w", ref.name, err)
		}
		w.via = hop
		w.unknown = append(w.unknown, hop.unknown...)
	}
	return w, nil
}

// resolveHost returns a route with the options of a host, but without its jump hosts, and
// the references to its jump hosts.
func (f *finder) resolveHost(ref reference) (w *route, jumps []reference, err error) {
	w = &route{reference: ref}
	named, destination, err := f.lookUp(w)
	if err != nil || len(w.unknown) > 0 {
		return w, nil, err
	}
	env, err := f.environ()
	if err != nil {
		return nil, nil, err
	}
	s := optionsBuilder{w: w, currentName: f.CurrentName, env: env, destination: destination, named: named}
	s.layers = f.layers(ref.name, named)
	s.getenv = f.getenv(env, ref.name, named, &s.errs)
	s.readConfiguration()
	if err := errors.Join(s.errs...); err != nil {
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	}
	if w.unknown = s.unknown; len(w.unknown) > 0 {
		return w, s.jumps, nil
	}
	path, isSet := findValue(&s.lookup, "ssh_config", sshConfigOf)
	ssh, err := f.sshConfig(env, path, isSet).Resolve(sshconfig.Query{Host: s.w.options.Address, User: s.w.options.User, Port: s.w.options.Port, NoProxyCommand: s.jumpsSet})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	case named == nil && !ref.bySSH && destination.Bare() && !ssh.Listed:
		return nil, nil, f.noSuchHost(ref.name)
	}
	if err := s.readSSHConfig(ssh); err != nil {
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	}
	w.options.Slots = f.slots
	return w, s.jumps, nil
}

// lookUp returns the configuration of the host if its name is a key of the provider's hosts,
// or else the name as a destination. lookUp sets w.unknown if the configuration is unknown.
func (f *finder) lookUp(w *route) (named *Host, destination address.Destination, err error) {
	if w.bySSH {
		destination, err = address.ParseDestination(w.name)
		return nil, destination, err
	}
	hosts, _ := f.config.Hosts.Get()
	if v, ok := hosts[w.name]; ok {
		h, known := v.Get()
		switch {
		case known:
			return &h, destination, nil
		case v.IsUnknown():
			w.unknown = []string{hostPath(w.name)}
			return nil, destination, nil
		default:
			return nil, destination, fmt.Errorf("%s is null. Set a value, or leave it out", hostPath(w.name))
		}
	}
	destination, err = address.ParseDestination(w.name)
	if err == nil && destination.Bare() && f.config.Hosts.IsUnknown() {
		w.unknown = []string{"hosts"}
	}
	return nil, destination, err
}

func (f *finder) noSuchHost(name string) error {
	hosts, _ := f.config.Hosts.Get()
	names := append(slices.Sorted(maps.Keys(hosts)), host.LocalName)
	return lifecycle.NoSuchHostErrorf("no host %q is configured. The provider has: %s; and no Host or Match line of the SSH configuration names this host. "+
		"Use one of these hosts, or a destination such as user@%s or %s:22", name, strings.Join(names, ", "), name, name)
}

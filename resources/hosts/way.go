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
)

// reference is how a host is named: by the provider's configuration and resources,
// or by the SSH configuration, which knows no names but its own.
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

// way is a host with those that are gone through to reach it.
type way struct {
	reference
	options sshhost.Options
	via     *way
	unknown []string // attributes that are known only after apply; the rest is worthless then
}

// key tells one way from another. The same machine at the end of two ways is two
// hosts.
func (w *way) key() string {
	if w.via == nil {
		return w.String()
	}
	return w.via.key() + " → " + w.String()
}

// resolve finds the way to a host. Nothing is made. The trail has those for which
// it is sought, to find circles.
func (f *fleet) resolve(ref reference, trail []reference) (*way, error) {
	if slices.Contains(trail, ref) {
		names := make([]string, len(trail)+1)
		for i, r := range append(slices.Clip(trail), ref) {
			names[i] = r.name
		}
		return nil, fmt.Errorf("the jump hosts of %s form a cycle: %s. Change proxy_jump", trail[0].name, strings.Join(names, " → "))
	}
	w, jumps, err := f.settle(ref)
	if err != nil {
		return nil, err
	}
	for i, jump := range jumps {
		if jump == ref {
			return nil, fmt.Errorf("the host %s cannot be reached through itself. Change proxy_jump", ref.name)
		}
		var hop *way
		if i == 0 {
			hop, err = f.resolve(jump, append(slices.Clip(trail), ref))
		} else if hop, _, err = f.settle(jump); err == nil {
			hop.via = w.via
		}
		if err != nil {
			return nil, fmt.Errorf("jump host of %s: %w", ref.name, err)
		}
		w.via = hop
		w.unknown = append(w.unknown, hop.unknown...)
	}
	return w, nil
}

// settle decides everything about a host but how its own way begins: jumps are the
// hosts to go through.
func (f *fleet) settle(ref reference) (w *way, jumps []reference, err error) {
	w = &way{reference: ref}
	named, destination, err := f.lookUp(w)
	if err != nil || len(w.unknown) > 0 {
		return w, nil, err
	}
	env, err := f.environ()
	if err != nil {
		return nil, nil, err
	}
	s := settling{w: w, env: env, destination: destination, named: named}
	s.layers = f.layers(ref.name, named)
	s.getenv = f.getenv(env, ref.name, named, &s.errs)
	s.configured()
	if err := errors.Join(s.errs...); err != nil {
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	}
	if w.unknown = s.unknown; len(w.unknown) > 0 {
		return w, s.jumps, nil
	}
	path, said := choose(&s.chooser, "ssh_config", sshConfigOf)
	ssh, err := f.sshConfig(env, path, said).Resolve(sshconfig.Query{Host: s.w.options.Address, User: s.w.options.User, Port: s.w.options.Port})
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	case named == nil && !ref.bySSH && destination.Bare() && !ssh.Listed:
		return nil, nil, f.noSuchHost(ref.name)
	}
	if err := s.complete(ssh); err != nil {
		return nil, nil, fmt.Errorf("host %s: %w", ref.name, err)
	}
	w.options.Slots = f.slots
	return w, s.jumps, nil
}

// lookUp finds what a name stands for: a host of the provider's configuration,
// or else a destination.
func (f *fleet) lookUp(w *way) (named *Host, destination address.Destination, err error) {
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

func (f *fleet) noSuchHost(name string) error {
	hosts, _ := f.config.Hosts.Get()
	names := append(slices.Sorted(maps.Keys(hosts)), host.LocalName)
	return fmt.Errorf("no host %q is configured. The provider has: %s; and no Host line of the SSH configuration matches it. "+
		"Use one of these, or a destination such as user@%s or %s:22", name, strings.Join(names, ", "), name, name)
}

package hosts

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/runtime"
)

func checkAddress(text string) error {
	if text == host.LocalName {
		return fmt.Errorf("the host %s has no address. To connect to it over SSH, use localhost", host.LocalName)
	}
	if strings.Count(text, ":") > 1 && !strings.HasPrefix(text, "[") {
		text = "[" + text + "]" // ParseDestination requires brackets for an IPv6 address
	}
	d, err := address.ParseDestination(text)
	if err == nil && !d.Bare() {
		err = errors.New("the address must not contain a user or a port: use the attributes user and port")
	}
	return err
}

func checkPath(path string) error {
	if path == "" {
		return errors.New("the path must not be empty")
	}
	return nil
}

func checkUser(user string) error {
	_, err := address.ParseDestination(user + "@host")
	return err
}

func checkJump(name string) error {
	if name == host.LocalName {
		return fmt.Errorf("connections start at the host %s; leave it out", host.LocalName)
	}
	return address.CheckHost(name)
}

func checkFormerName(name string) error {
	if name == host.LocalName {
		return fmt.Errorf("the host %s is always the host that the provider runs on; leave it out", host.LocalName)
	}
	return address.CheckHost(name)
}

// checkFormerNames returns an error if a former name of a host is a key of hosts, or is also a former
// name of a different host.
func checkFormerNames(hosts map[string]runtime.Value[Host]) error {
	var errs []error
	owners := make(map[string]string, len(hosts)) // current names by former name
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		h, _ := hosts[name].Get()
		for i, former := range formerNames(h) {
			if former == "" {
				continue // the name is unknown
			}
			path := cty.IndexPath(cty.StringVal(name)).GetAttr("formerly").IndexInt(i)
			owner, claimed := owners[former]
			if _, exists := hosts[former]; exists {
				errs = append(errs, diag.WithPath(path, fmt.Errorf("%q is the key of a host in hosts. Remove that host, or this former name", former)))
			} else if claimed && owner != name {
				errs = append(errs, diag.WithPath(path, fmt.Errorf("%q is a former name of both %s and %s. Remove this former name from one of these hosts", former, owner, name)))
			}
			owners[former] = name
		}
	}
	return errors.Join(errs...)
}

// checkJumps returns an error if a route goes through a host twice, or if jump hosts form a
// cycle, as far as the attribute hosts shows it. [finder.resolve] finds the other cycles.
func checkJumps(hosts map[string]runtime.Value[Host]) error {
	var errs []error
	first := make(map[string]string, len(hosts)) // first jump host of each host
	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		h, _ := hosts[name].Get()
		jumps, known := h.ProxyJump.Get()
		if !known {
			continue
		}
		seen := map[string]bool{name: true}
		for i, jump := range jumps {
			hop, known := jump.Get()
			switch {
			case !known:
			case hop == name:
				errs = append(errs, jumpError(name, i, "the host %s cannot be reached through itself", name))
			case seen[hop]:
				errs = append(errs, jumpError(name, i, "the route to %s goes through %s twice", name, hop))
			case i == 0:
				first[name] = hop
			}
			seen[hop] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(first)) {
		route := []string{name}
		for at := first[name]; at != "" && len(route) <= len(first); at = first[at] {
			route = append(route, at)
			if at == name {
				errs = append(errs, jumpError(name, 0, "the jump hosts form a cycle: %s", strings.Join(route, " → ")))
				break
			}
		}
	}
	return errors.Join(errs...)
}

func jumpError(name string, i int, format string, args ...any) error {
	path := cty.IndexPath(cty.StringVal(name)).GetAttr("proxy_jump").IndexInt(i)
	return diag.WithPath(path, fmt.Errorf(format+". Change proxy_jump", args...))
}

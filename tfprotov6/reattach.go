package tfprotov6

import (
	"encoding/json"
	"fmt"
	"net"

	"github.com/hashicorp/go-plugin"
)

// reattach is a running provider as TF_REATTACH_PROVIDERS describes it.
type reattach struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool // the process is not the client's to end
	Addr            reattachAddr
}

type reattachAddr struct{ Network, String string }

// ReattachText is the value of TF_REATTACH_PROVIDERS that describes running
// providers, by their addresses.
func ReattachText(running map[string]*plugin.ReattachConfig) (string, error) {
	described := make(map[string]reattach, len(running))
	for name, r := range running {
		if r == nil || r.Addr == nil {
			return "", fmt.Errorf("write TF_REATTACH_PROVIDERS: %s runs nowhere", name)
		}
		described[name] = reattach{
			Protocol:        string(r.Protocol),
			ProtocolVersion: r.ProtocolVersion,
			Pid:             r.Pid,
			Test:            r.Test,
			Addr:            reattachAddr{Network: r.Addr.Network(), String: r.Addr.String()},
		}
	}
	text, err := json.Marshal(described)
	if err != nil {
		return "", fmt.Errorf("write TF_REATTACH_PROVIDERS: %w", err)
	}
	return string(text), nil
}

// ReattachProviders reads the value of TF_REATTACH_PROVIDERS, in which running
// providers are described: by their addresses, such as
// registry.terraform.io/hashicorp/random. No value is no providers.
func ReattachProviders(value string) (map[string]*plugin.ReattachConfig, error) {
	if value == "" {
		return nil, nil
	}
	var described map[string]reattach
	if err := json.Unmarshal([]byte(value), &described); err != nil {
		return nil, fmt.Errorf("read TF_REATTACH_PROVIDERS: %w", err)
	}
	running := make(map[string]*plugin.ReattachConfig, len(described))
	for name, d := range described {
		config := &plugin.ReattachConfig{
			Protocol:        plugin.Protocol(d.Protocol),
			ProtocolVersion: d.ProtocolVersion,
			Pid:             d.Pid,
			Test:            d.Test,
		}
		var err error
		switch d.Addr.Network {
		case "unix":
			config.Addr, err = net.ResolveUnixAddr("unix", d.Addr.String)
		case "tcp":
			config.Addr, err = net.ResolveTCPAddr("tcp", d.Addr.String)
		default:
			err = fmt.Errorf("there is no network %q, but unix and tcp", d.Addr.Network)
		}
		if err != nil {
			return nil, fmt.Errorf("read TF_REATTACH_PROVIDERS: the address of %s: %w", name, err)
		}
		running[name] = config
	}
	return running, nil
}

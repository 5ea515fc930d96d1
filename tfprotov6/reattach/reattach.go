// Package reattach formats and parses TF_REATTACH_PROVIDERS, the environment
// variable with which Terraform and OpenTofu find a running provider. [client.Dial]
// attaches to a provider that [Parse] returns.
//
// Package serve writes the variable for a provider under a debugger, and package acctest
// for a provider in the process of a test.
//
// Elsewhere: terraform-plugin-go serves the provider; tfprotov6/client attaches to it.
//
// [client.Dial]: https://pkg.go.dev/github.com/posixform/terraform-provider-posix/tfprotov6/client#Dial
package reattach

import (
	"encoding/json"
	"fmt"
	"net"

	"github.com/hashicorp/go-plugin"
)

// description is a running provider in TF_REATTACH_PROVIDERS.
type description struct {
	Protocol        string
	ProtocolVersion int
	Pid             int
	Test            bool // the client must not end the process
	Addr            address
}

type address struct{ Network, String string }

// Format returns the value of TF_REATTACH_PROVIDERS for running providers, keyed by
// provider source address such as registry.terraform.io/hashicorp/random. It returns an
// error for a provider without a network address.
func Format(running map[string]*plugin.ReattachConfig) (string, error) {
	described := make(map[string]description, len(running))
	for name, r := range running {
		if r == nil || r.Addr == nil {
			return "", fmt.Errorf("write TF_REATTACH_PROVIDERS: %s has no network address", name)
		}
		described[name] = description{
			Protocol:        string(r.Protocol),
			ProtocolVersion: r.ProtocolVersion,
			Pid:             r.Pid,
			Test:            r.Test,
			Addr:            address{Network: r.Addr.Network(), String: r.Addr.String()},
		}
	}
	text, err := json.Marshal(described)
	if err != nil {
		return "", fmt.Errorf("write TF_REATTACH_PROVIDERS: %w", err)
	}
	return string(text), nil
}

// Parse returns the running providers in a value of TF_REATTACH_PROVIDERS, keyed by
// provider source address. An empty value has no providers. Parse returns an error for a value or
// an address that is invalid.
func Parse(value string) (map[string]*plugin.ReattachConfig, error) {
	if value == "" {
		return nil, nil
	}
	var described map[string]description
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
			err = fmt.Errorf("unsupported network %q, expected unix or tcp", d.Addr.Network)
		}
		if err != nil {
			return nil, fmt.Errorf("read TF_REATTACH_PROVIDERS: the address of %s: %w", name, err)
		}
		running[name] = config
	}
	return running, nil
}

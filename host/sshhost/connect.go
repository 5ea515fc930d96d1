package sshhost

import (
	"context"
	"net"
	"strings"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
)

// linkOptions is what the options say about the connection.
func linkOptions(o *Options) conn.Options {
	l := conn.Options{
		Name: o.Name, Address: o.Address, Port: o.Port, User: o.User,
		Auth: conn.Auth{
			Agent: o.Auth.Agent, AgentKeysOnly: o.Auth.AgentKeysOnly, Password: (*conn.Secret)(o.Auth.Password),
		},
		Trust: conn.Trust{
			Policy: conn.Policy(o.Trust.Policy), Pinned: o.Trust.Pinned, Known: o.Trust.Known, Files: o.Trust.Files,
			Alias: o.Trust.Alias, Algorithms: strings.Join(o.Trust.Algorithms, ","),
		},
		ConnectTimeout: o.ConnectTimeout, Retries: o.Retries, KeepAlive: o.KeepAlive, KeepAliveCount: o.KeepAliveCount,
		MaxSessions: o.MaxSessions,
	}
	for _, k := range o.Auth.Keys {
		l.Auth.Keys = append(l.Auth.Keys, conn.Key{
			Text: conn.Secret(k.Text), Path: k.Path, Implicit: k.Implicit, Passphrase: (*conn.Secret)(k.Passphrase),
			Certificate: k.Certificate, CertificatePath: k.CertificatePath,
		})
	}
	switch via := o.Via.(type) {
	case nil:
	case *Host:
		l.Via = through{via}
	default:
		l.Via = dialer{via}
	}
	return l
}

// through makes connections from a host of this package. Its own operations are
// bounded by those who go through it: see admission.
type through struct{ via *Host }

// Dial implements [conn.Dialer].
func (t through) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return t.via.conn.Dial(ctx, network, address)
}

// Connect connects to the host itself, within its own time.
func (t through) Connect(ctx context.Context) error { return t.via.conn.Connect(ctx) }

// dialer makes connections from any host.
type dialer struct{ host.Host }

// Dial implements [conn.Dialer].
func (d dialer) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	return host.Dial(ctx, d.Host, network, address)
}

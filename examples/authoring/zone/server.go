package zone

import (
	"net/netip"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/runtime"
)

// [kinds

// Server is a name server, with attributes of many types.
type Server struct {
	ServerSettings
	// View determines which clients may query. Defaults to a view that the server chooses.
	View *string
	// Secret authenticates the server. It is not stored.
	Secret string `tf:",optional,writeonly"`
	// SecretVersion is changed to write the secret again.
	SecretVersion *int64
}

// ServerOutput is an existing server.
type ServerOutput struct {
	ServerSettings
	// View determines which clients may query. Defaults to a view that the server chooses.
	View string `tf:",computed"`
	// Endpoint is the address and port of the server.
	Endpoint string
}

// ServerSettings has the attributes that inputs and outputs share.
type ServerSettings struct {
	// Name of the server.
	Name string
	// Address of the server, parsed by its type.
	Address netip.Addr
	// Port of the server, with a default.
	Port int64
	// Forwarders, in the order of their use.
	Forwarders []string `tf:",optional"`
	// Tags, unordered.
	Tags []string `tf:",optional,set"`
	// Limits by name.
	Limits map[string]int64 `tf:",optional"`
	// Expires is a number that may be null or unknown.
	Expires runtime.Value[int64]
	// Extra is a value of any type.
	Extra any `tf:",optional"`
	// AdminPassword is hidden in output, and stored in the state.
	//
	// Deprecated: Use [Server.Secret], which is not stored.
	AdminPassword string `tf:",optional,sensitive"`
	// Listeners are nested attributes.
	Listeners []Listener `tf:",optional"`
	// Contact is an optional block.
	Contact *Contact `tf:",block"`
	// Rules are repeated blocks, whose name is in the singular.
	Rules []Rule `tf:"rule,block"`
}

// Listener is a further address of a server.
type Listener struct {
	// Port of the listener.
	Port int64
	// Protocol of the listener.
	Protocol string
	// Label is the name in logs, which the provider chooses.
	Label string `tf:",computed"`
}

// Defaults makes protocol optional.
func (l *Listener) Defaults() { l.Protocol = "udp" }

// Contact is the person who is responsible for the server.
type Contact struct {
	// Email address.
	Email string
}

// Rule allows or denies queries of a network.
type Rule struct {
	// Network of the clients.
	Network netip.Prefix
	// Allow is whether the clients may query.
	Allow bool
}

// kinds]

// [together

// Constraints returns the constraints of a listener.
func (*Listener) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.Range("port", 1, 65535),
		runtime.OneOf("protocol", "udp", "tcp"),
		runtime.CheckTogether("Port 853 needs the `protocol` tcp", encrypted, "port", "protocol"),
	}
}

func encrypted(port int64, protocol string) error {
	if port == 853 && protocol != "tcp" {
		return diag.AttributeErrorf("protocol", "port 853 is DNS over TLS, which needs tcp")
	}
	return nil
}

// together]

// Defaults makes port optional.
func (s *Server) Defaults() { s.Port = 53 }

// Constraints returns the constraints of a server.
func (*Server) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.RequiredTogether("secret", "secret_version"),
		runtime.AtMost("port", 65535),
		runtime.AtLeast("expires", 0),
		runtime.Keys(runtime.Pattern("limits", "^[a-z_]+$", "lower-case letters and underscores")),
	}
}

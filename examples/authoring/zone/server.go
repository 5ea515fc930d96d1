package zone

import (
	"net/netip"

	"github.com/posixform/terraform-provider-posix/runtime"
)

// [kinds

// Server is a name server, with an attribute of every kind.
type Server struct {
	ServerSettings
	// View is who may ask; the server's own choice unless given.
	View *string
	// Secret is what the server proves itself with. It is never stored.
	Secret string `tf:",optional,writeonly"`
	// SecretVersion is changed to have the secret written again.
	SecretVersion *int64
}

// ServerOutput is a server that exists.
type ServerOutput struct {
	ServerSettings
	// View is who may ask; the server's own choice unless given.
	View string `tf:",computed"`
	// Endpoint is where the server listens, with its port.
	Endpoint string
}

// ServerSettings are the attributes that both have.
type ServerSettings struct {
	// Name is the server's name.
	Name string
	// Address is where it listens: a type that parses itself.
	Address netip.Addr
	// Port is where it listens; it has a default.
	Port int64
	// Forwarders are asked in this order.
	Forwarders []string `tf:",optional"`
	// Tags have no order.
	Tags []string `tf:",optional,set"`
	// Limits are numbers by name.
	Limits map[string]int64 `tf:",optional"`
	// Expires is a number that may be null, or not known yet.
	Expires runtime.Value[int64]
	// Extra is anything.
	Extra any `tf:",optional"`
	// AdminPassword is hidden in all output, and stored in the state.
	AdminPassword string `tf:",optional,sensitive"`
	// Listeners are nested attributes.
	Listeners []Listener `tf:",optional"`
	// Contact is a block that is there or not.
	Contact *Contact `tf:",block"`
	// Rules are a block for each rule, named in the singular.
	Rules []Rule `tf:"rule,block"`
}

// Listener is a further place where a server listens.
type Listener struct {
	// Port is the port.
	Port int64
	// Protocol is how it is spoken to.
	Protocol string
	// Label is its name in logs, which the provider makes.
	Label string `tf:",computed"`
}

// Defaults makes protocol optional.
func (l *Listener) Defaults() { l.Protocol = "udp" }

// Constraints of a listener.
func (*Listener) Constraints() []runtime.Constraint {
	return []runtime.Constraint{runtime.Range("port", 1, 65535), runtime.OneOf("protocol", "udp", "tcp")}
}

// Contact is who to ask.
type Contact struct {
	// Email is where mails go.
	Email string
}

// Rule says who may ask.
type Rule struct {
	// Network is the network from which they ask.
	Network netip.Prefix
	// Allow is true for those who may.
	Allow bool
}

// kinds]

// Defaults makes port optional.
func (s *Server) Defaults() { s.Port = 53 }

// Constraints of a server.
func (*Server) Constraints() []runtime.Constraint {
	return []runtime.Constraint{
		runtime.RequiredTogether("secret", "secret_version"),
		runtime.AtMost("port", 65535),
		runtime.AtLeast("expires", 0),
		runtime.Keys(runtime.Pattern("limits", "^[a-z_]+$", "lower-case letters and underscores")),
	}
}

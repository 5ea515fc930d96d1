package zone

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/posixform/terraform-provider-posix/runtime"
)

const servers = "servers"

// keptServer is a server as its file has it.
type keptServer struct {
	ServerSettings
	Expires *int64
	View    string
}

func (k *keptServer) output() *ServerOutput {
	out := &ServerOutput{ServerSettings: k.ServerSettings, View: k.View}
	if k.Expires != nil {
		out.Expires = runtime.Known(*k.Expires)
	}
	port := uint16(k.Port) //nolint:gosec // bounded by the constraints
	out.Endpoint = netip.AddrPortFrom(k.Address, port).String()
	return out
}

// SchemaVersion counts the changes of what is stored.
func (*Server) SchemaVersion() int { return 0 }

// ReplaceFields says that another name is another server.
func (*Server) ReplaceFields() []string { return []string{"name"} }

// [private

// Create sets the server up.
func (s *Server) Create(ctx context.Context, z *Zone) (*ServerOutput, error) {
	if err := z.get(servers, s.Name, &keptServer{}); !errors.Is(err, runtime.ErrNotFound) {
		return nil, errors.Join(fmt.Errorf("there is a server %s already; import it", s.Name), err)
	}
	runtime.Private(ctx).Set("made_by", []byte("this provider"))
	return s.write(z, "public")
}

// private]

// Read finds the server.
func (*Server) Read(_ context.Context, z *Zone, prior *ServerOutput) (*ServerOutput, error) {
	var k keptServer
	if err := z.get(servers, prior.Name, &k); err != nil {
		return nil, err
	}
	return k.output(), nil
}

// Update changes the server's settings.
func (s *Server) Update(_ context.Context, z *Zone, prior runtime.Prior[Server, *ServerOutput]) (*ServerOutput, error) {
	return s.write(z, prior.Observed.View)
}

// write keeps the server in the view that is configured, else in the one given.
func (s *Server) write(z *Zone, view string) (*ServerOutput, error) {
	k := &keptServer{ServerSettings: s.ServerSettings, View: view}
	if s.View != nil {
		k.View = *s.View
	}
	if expires, ok := s.Expires.Get(); ok {
		k.Expires = &expires
	}
	k.Listeners = make([]Listener, len(s.Listeners))
	for i, l := range s.Listeners {
		if l.Label == "" {
			l.Label = fmt.Sprintf("%s-%s-%d", s.Name, l.Protocol, l.Port)
		}
		k.Listeners[i] = l
	}
	return k.output(), z.put(servers, s.Name, k)
}

// Delete takes the server down.
func (*Server) Delete(_ context.Context, z *Zone, prior *ServerOutput) error {
	return z.remove(servers, prior.Name)
}

// [byid

// ImportByID takes the server's name.
func (*Server) ImportByID(_ context.Context, _ *Zone, id string) (*ServerOutput, error) {
	return &ServerOutput{ServerSettings: ServerSettings{Name: id}}, nil
}

// byid]

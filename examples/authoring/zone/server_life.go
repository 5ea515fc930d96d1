package zone

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/posixform/terraform-provider-posix/runtime"
)

const servers = "servers"

// keptServer is the content of a server's file.
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

// ReplaceFields returns the inputs whose change forces a new server.
func (*Server) ReplaceFields() []string { return []string{"name"} }

// [private

// Create creates the server.
func (s *Server) Create(ctx context.Context, z *Zone) (*ServerOutput, error) {
	switch err := z.get(servers, s.Name, &keptServer{}); {
	case err == nil:
		return nil, fmt.Errorf("server %s already exists; import it", s.Name)
	case !errors.Is(err, runtime.ErrNotFound):
		return nil, err
	}
	runtime.Private(ctx).Set("made_by", []byte("this provider"))
	return s.write(z, "public")
}

// private]

// Read reads the server.
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

// write writes the server with the configured view, or with view if none is configured.
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

// Delete removes the server.
func (*Server) Delete(_ context.Context, z *Zone, prior *ServerOutput) error {
	return z.remove(servers, prior.Name)
}

// [byid

// ImportByID imports a server by its name.
func (*Server) ImportByID(_ context.Context, _ *Zone, id string) (*ServerOutput, error) {
	return &ServerOutput{ServerSettings: ServerSettings{Name: id}}, nil
}

// byid]

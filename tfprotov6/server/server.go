package server

import (
	"context"
	"errors"
	"fmt"
	"sync"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
)

// server answers protocol requests with the responses of a provider.Interface.
type server struct {
	p       provider.Interface
	schemas *call.Schemas

	// The protocol form of the schemas is computed on the first request: clients
	// that cache schemas never send one.
	schemaOnce   sync.Once
	schema       *tfplugin.GetProviderSchemaResponse
	identityOnce sync.Once
	identity     *tfplugin.GetResourceIdentitySchemasResponse
}

var (
	_ tfplugin.ProviderServer                 = (*server)(nil)
	_ tfplugin.ProviderServerWithListResource = (*server)(nil)
	_ tfplugin.ProviderServerWithActions      = (*server)(nil)
	_ tfplugin.ProviderServerWithStateStores  = (*server)(nil)
)

// New returns a server for p. It requests the schemas from p once; if p returns
// error diagnostics instead, they are the response to every RPC. It returns an
// error if p is nil or panics.
//
// The server implements the optional interfaces for list resources, actions and
// state stores. It does not close p.
func New(ctx context.Context, p provider.Interface) (_ tfplugin.ProviderServer, err error) {
	if p == nil {
		return nil, errors.New("serve a provider: the provider is nil")
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("serve a provider: GetProviderSchema panicked: %v", r)
		}
	}()
	s := &server{p: p}
	s.schemas = call.NewSchemas(
		p.GetProviderSchema(ctx, provider.GetProviderSchemaRequest{}),
		p.GetResourceIdentitySchemas(ctx, provider.GetResourceIdentitySchemasRequest{}),
	)
	return s, nil
}

func (s *server) call(ctx context.Context, rpc string) *call.Call {
	return call.New(ctx, s.schemas, rpc)
}

// unary performs an RPC with one response. It calls request to convert the request,
// method of the provider unless that failed, and response to convert the result of
// method; response returns the diagnostics in it.
func unary[In, Out any](c *call.Call, method func(context.Context, In) Out, request func() In, response func(Out) diag.Diagnostics) []*tfplugin.Diagnostic {
	return wire.DiagnosticsToProto(start(c, method, request, response))
}

// start is like unary for an RPC whose response is a stream.
func start[In, Out any](c *call.Call, method func(context.Context, In) Out, request func() In, response func(Out) diag.Diagnostics) diag.Diagnostics {
	return call.Do(c, request, func(ctx context.Context, in In) (Out, bool) { return method(ctx, in), true }, response)
}

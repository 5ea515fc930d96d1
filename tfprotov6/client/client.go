package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/call"
	"github.com/posixform/terraform-provider-posix/tfprotov6/internal/rpc"
)

// client implements provider.Interface by sending requests to a protocol server.
type client struct {
	server  tfplugin.ProviderServer
	schemas *call.Schemas
}

var _ provider.Interface = (*client)(nil)

var errNilServer = errors.New("create a provider client: the server is nil")

// New returns a provider that passes every request to server, as Terraform does
// over gRPC. It requests the schemas and the identity schemas once. It returns an error if server
// is nil, or if a request fails or its response cannot be decoded. A server that does not implement
// the request for identity schemas has none. Error diagnostics that the server
// returns instead of schemas are the response of every method that needs the schemas.
//
// The protocol cannot carry everything. A missing state or configuration becomes a typed
// null. Diagnostics that a provider returns instead of a stream arrive in a stream. The
// protocol loses deferral reasons that only clients use, the capability for write-only
// attributes (except in ValidateResourceConfig), the step of a path to an element of a set with
// all later steps (unless the element is a string or an integer), and the descriptions of nested
// attribute types and of identities as a whole.
//
// The byte slices in responses belong to the server and must not be modified.
func New(server tfplugin.ProviderServer) (provider.Interface, error) {
	if server == nil {
		return nil, errNilServer
	}
	return newClient(context.Background(), server)
}

// NewLike is like [New] for another server of the provider of like, a client
// returned by New or NewLike. It uses the schemas of like instead of requesting
// them. It returns an error if like is not such a client or server is nil.
func NewLike(like provider.Interface, server tfplugin.ProviderServer) (provider.Interface, error) {
	known, ok := like.(*client)
	if !ok {
		return nil, fmt.Errorf("create a provider client: like is a %T, expected a client", like)
	}
	if server == nil {
		return nil, errNilServer
	}
	return &client{server: server, schemas: known.schemas}, nil
}

func newClient(ctx context.Context, server tfplugin.ProviderServer) (provider.Interface, error) {
	got, err := server.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		return nil, fmt.Errorf("get provider schema: %w", err)
	}
	if got == nil {
		return nil, errors.New("get provider schema: the server returned no response")
	}
	response, err := decodeSchemas(got)
	if err != nil {
		return nil, fmt.Errorf("get provider schema: %w", err)
	}
	identities, err := decodeIdentitySchemas(server.GetResourceIdentitySchemas(ctx, &tfplugin.GetResourceIdentitySchemasRequest{}))
	if err != nil {
		return nil, fmt.Errorf("get resource identity schemas: %w", err)
	}
	response.ResourceTypes = mergeIdentities(response.ResourceTypes, identities.IdentityTypes)
	return &client{server: server, schemas: call.NewSchemas(response, identities)}, nil
}

// mergeIdentities returns the resource types with their identity schemas.
func mergeIdentities(types map[string]provider.Schema, identities map[string]provider.IdentitySchema) map[string]provider.Schema {
	merged := maps.Clone(types)
	for name, identity := range identities {
		if schema, ok := merged[name]; ok && schema.Identity == nil {
			schema.Identity, schema.IdentityVersion = identity.Body, identity.Version
			merged[name] = schema
		}
	}
	return merged
}

func (cl *client) call(ctx context.Context, rpc string) *call.Call {
	return call.New(ctx, cl.schemas, rpc)
}

// unary performs an RPC with one response. It calls request, which converts the request;
// unless that fails, it calls method of the server, and response, which converts the
// result of method and returns the diagnostics in it.
func unary[In, Out any](c *call.Call, method func(context.Context, *In) (*Out, error), request func() *In, response func(*Out) []*tfplugin.Diagnostic) diag.Diagnostics {
	return call.Do(c, request, func(ctx context.Context, in *In) (*Out, bool) {
		out, err := method(ctx, in)
		return out, responded(c, out != nil, err)
	}, func(out *Out) diag.Diagnostics { return wire.DiagnosticsFromProto(response(out)) })
}

// recordFailure returns method, whose response is a stream. If the stream fails, *failure is set
// before its last element.
func recordFailure[In, Out any](failure *error, method func(context.Context, *In) (*Out, error)) func(context.Context, *In) (*Out, error) {
	return func(ctx context.Context, in *In) (*Out, error) { return method(rpc.WithFailure(ctx, failure), in) }
}

// elements returns the decoded elements of a stream. If the stream fails, its last element is the
// result of failed, which returns an element with diagnostics.
func elements[In, Out any](c *call.Call, stream iter.Seq[In], failure *error, decode func(*call.Call, In) Out, failed func(diag.Diagnostics) Out) iter.Seq[Out] {
	return func(yield func(Out) bool) {
		c := c.Fork()
		convert := func(in In) Out {
			c := c.Fork()
			if !responded(c, true, *failure) {
				return failed(c.Take())
			}
			return decode(c, in)
		}
		if call.Stream(c, stream, convert, yield) && c.Failed() {
			yield(failed(c.Take()))
		}
	}
}

// responded reports whether a server returned a response. If not, c fails.
func responded(c *call.Call, some bool, err error) bool {
	switch {
	case errors.Is(err, errNotOffered):
		c.Errorf(nil, "Not offered by this provider", "The provider's server does not offer %s.", c.RPC())
	case err != nil:
		how := diag.NoCrash
		if rpc.Lost(err) {
			how = diag.ProcessEnded
		}
		c.Crashf(how, "The provider did not answer", "%s of %s failed: %s", c.RPC(), c.Subject(), sentence(err))
	case !some:
		c.Errorf(nil, "The provider did not answer", "%s of %s returned no response.", c.RPC(), c.Subject())
	default:
		return true
	}
	return false
}

// sentence returns the text of an error with a full stop, unless it ends with
// one or with a line break.
func sentence(err error) string {
	if text := err.Error(); !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, ".") {
		return text + "."
	}
	return err.Error()
}

var errNotOffered = errors.New("the server does not implement an optional interface")

// optional returns a method of an optional interface of server. If server does not implement
// the interface, the method returns errNotOffered.
func optional[Server, In, Out any](server any, method func(Server, context.Context, *In) (*Out, error)) func(context.Context, *In) (*Out, error) {
	return func(ctx context.Context, in *In) (*Out, error) {
		s, ok := server.(Server)
		if !ok {
			return nil, errNotOffered
		}
		return method(s, ctx, in)
	}
}

// GetProviderSchema implements provider.Interface.
func (cl *client) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return cl.schemas.Response
}

// GetResourceIdentitySchemas implements provider.Interface.
func (cl *client) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return cl.schemas.Identities
}

// ValidateProviderConfig implements provider.Interface.
func (cl *client) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	c := cl.call(ctx, "ValidateProviderConfig")
	resp.Diagnostics = unary(c, cl.server.ValidateProviderConfig, func() *tfplugin.ValidateProviderConfigRequest {
		c.Provider()
		return &tfplugin.ValidateProviderConfigRequest{Config: c.Encode(req.Config, "configuration")}
	}, func(got *tfplugin.ValidateProviderConfigResponse) []*tfplugin.Diagnostic {
		resp.PreparedConfig = c.Decode(got.PreparedConfig, "prepared configuration")
		return got.Diagnostics
	})
	return resp
}

// ConfigureProvider implements provider.Interface.
func (cl *client) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) (resp provider.ConfigureProviderResponse) {
	c := cl.call(ctx, "ConfigureProvider")
	resp.Diagnostics = unary(c, cl.server.ConfigureProvider, func() *tfplugin.ConfigureProviderRequest {
		c.Provider()
		return &tfplugin.ConfigureProviderRequest{
			TerraformVersion:   req.TerraformVersion,
			Config:             c.Encode(req.Config, "configuration"),
			ClientCapabilities: &tfplugin.ConfigureProviderClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
		}
	}, func(got *tfplugin.ConfigureProviderResponse) []*tfplugin.Diagnostic { return got.Diagnostics })
	return resp
}

// Stop implements provider.Interface.
func (cl *client) Stop(ctx context.Context) error {
	got, err := cl.server.StopProvider(ctx, &tfplugin.StopProviderRequest{})
	switch {
	case err != nil:
		return fmt.Errorf("stop provider: %w", err)
	case got != nil && got.Error != "":
		return errors.New(got.Error)
	}
	return nil
}

// Close implements provider.Interface. It does nothing: the protocol has no such
// RPC, and a provider ends with its process.
func (cl *client) Close() error { return nil }

func decodeDeferred(d *tfplugin.Deferred) *provider.Deferred {
	if d == nil {
		return nil
	}
	reason := provider.DeferredReasonInvalid
	switch d.Reason {
	case tfplugin.DeferredReasonResourceConfigUnknown:
		reason = provider.DeferredReasonResourceConfigUnknown
	case tfplugin.DeferredReasonProviderConfigUnknown:
		reason = provider.DeferredReasonProviderConfigUnknown
	case tfplugin.DeferredReasonAbsentPrereq:
		reason = provider.DeferredReasonAbsentPrereq
	}
	return &provider.Deferred{Reason: reason}
}

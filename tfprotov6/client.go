package tfprotov6

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/internal/wire"
	"github.com/posixform/terraform-provider-posix/provider"
)

// client asks a protocol server what a provider.Interface is asked.
type client struct {
	server  tfplugin.ProviderServer
	schemas *schemas
}

var _ provider.Interface = (*client)(nil)

// NewClient is a provider that passes all it is asked to server, as Terraform
// would over the wire. It fetches the schemas at once; the error is for a
// server that has none that could be read. Error diagnostics that come instead
// of schemas are kept and are the answer of every method.
//
// What the protocol cannot carry is lost on the way: a typed null and no value
// at all are one for a state (no value becomes the null), deferral reasons that
// only clients use, that write-only attributes may be set (but with
// ValidateResourceConfig), paths beyond an element of a set, the descriptions
// of nested attribute types and of identities as a whole. Messages that prevent
// a stream come in the stream.
//
// The answers' byte slices are the server's and must not be changed.
func NewClient(server tfplugin.ProviderServer) (provider.Interface, error) {
	if server == nil {
		return nil, errors.New("ask a provider server: there is none")
	}
	return newClient(context.Background(), server)
}

// NewClientLike is NewClient for another server of the provider that like, made by
// one of these two functions, is a client of. Schemas are those of like: a client
// that starts a provider again and again asks for them once.
func NewClientLike(like provider.Interface, server tfplugin.ProviderServer) (provider.Interface, error) {
	known, ok := like.(*client)
	if !ok {
		return nil, fmt.Errorf("ask a provider server: a %T has no schemas to take over", like)
	}
	if server == nil {
		return nil, errors.New("ask a provider server: there is none")
	}
	return &client{server: server, schemas: known.schemas}, nil
}

// newClient is NewClient with a context for the first questions.
func newClient(ctx context.Context, server tfplugin.ProviderServer) (provider.Interface, error) {
	got, err := server.GetProviderSchema(ctx, &tfplugin.GetProviderSchemaRequest{})
	if err != nil {
		return nil, fmt.Errorf("get provider schema: %w", err)
	}
	if got == nil {
		return nil, errors.New("get provider schema: there is no answer")
	}
	response, err := schemasFromProto(got)
	if err != nil {
		return nil, fmt.Errorf("get provider schema: %w", err)
	}
	identities, err := identitiesFromProto(server.GetResourceIdentitySchemas(ctx, &tfplugin.GetResourceIdentitySchemasRequest{}))
	if err != nil {
		return nil, fmt.Errorf("get resource identity schemas: %w", err)
	}
	response.ResourceTypes = mergeIdentities(response.ResourceTypes, identities.IdentityTypes)
	return &client{server: server, schemas: newSchemas(response, identities)}, nil
}

// GetProviderSchema is part of provider.Interface.
func (cl *client) GetProviderSchema(context.Context, provider.GetProviderSchemaRequest) provider.GetProviderSchemaResponse {
	return cl.schemas.response
}

// GetResourceIdentitySchemas is part of provider.Interface.
func (cl *client) GetResourceIdentitySchemas(context.Context, provider.GetResourceIdentitySchemasRequest) provider.GetResourceIdentitySchemasResponse {
	return cl.schemas.identities
}

// ValidateProviderConfig is part of provider.Interface.
func (cl *client) ValidateProviderConfig(ctx context.Context, req provider.ValidateProviderConfigRequest) (resp provider.ValidateProviderConfigResponse) {
	c := call{ctx: ctx, rpc: "ValidateProviderConfig"}
	defer c.finish(&resp.Diagnostics)
	c.add(cl.schemas.errors())
	codec := cl.schemas.provider.get()
	config := c.encode(codec, req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.ValidateProviderConfig(ctx, &tfplugin.ValidateProviderConfigRequest{Config: config})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
		resp.PreparedConfig = c.decode(codec, got.PreparedConfig, "prepared configuration")
	}
	return resp
}

// ConfigureProvider is part of provider.Interface.
func (cl *client) ConfigureProvider(ctx context.Context, req provider.ConfigureProviderRequest) (resp provider.ConfigureProviderResponse) {
	c := call{ctx: ctx, rpc: "ConfigureProvider"}
	defer c.finish(&resp.Diagnostics)
	c.add(cl.schemas.errors())
	config := c.encode(cl.schemas.provider.get(), req.Config, "configuration")
	if c.failed() {
		return resp
	}
	got, err := cl.server.ConfigureProvider(ctx, &tfplugin.ConfigureProviderRequest{
		TerraformVersion:   req.TerraformVersion,
		Config:             config,
		ClientCapabilities: &tfplugin.ConfigureProviderClientCapabilities{DeferralAllowed: req.ClientCapabilities.DeferralAllowed},
	})
	if c.answered(got != nil, err) {
		c.add(wire.DiagnosticsFromProto(got.Diagnostics))
	}
	return resp
}

// Stop is part of provider.Interface.
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

// Close is part of provider.Interface. The protocol has no word for it: a
// provider ends with its process.
func (cl *client) Close() error { return nil }

// finish is end for the other side. A server in the same process may panic as
// well.
func (c *call) finish(out *diag.Diagnostics) {
	if r := recover(); r != nil {
		c.panicked(r)
	}
	*out = c.diags
}

// answered says whether there is an answer to look at.
func (c *call) answered(some bool, err error) bool {
	switch {
	case err != nil:
		c.errorf(nil, "The provider did not answer", "%s of %s failed: %s", c.rpc, c.of(), sentence(err))
	case !some:
		c.errorf(nil, "The provider did not answer", "%s of %s had no answer.", c.rpc, c.of())
	default:
		return true
	}
	return false
}

// sentence ends an error as a sentence does, where its last line is one.
func sentence(err error) string {
	if text := err.Error(); !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, ".") {
		return text + "."
	}
	return err.Error()
}

// offered says whether the server has the optional interface that a call needs.
func (c *call) offered(ok bool) bool {
	if !ok {
		c.errorf(nil, "Not offered by this provider", "The provider's server does not offer %s.", c.rpc)
	}
	return ok
}

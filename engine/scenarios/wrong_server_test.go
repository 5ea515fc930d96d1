package scenarios_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// Server is a provider with scripted, deliberately wrong responses, to observe the
// reaction of Terraform, OpenTofu and the engine. It is safe for concurrent use.
//
// By default it behaves correctly: it plans the proposed object, computed attributes
// without a value are unknown until the apply, and objects keep their values. A
// Behaviour changes responses of single calls. Server is a protocol server and not a
// provider.Interface, so that it can send values that do not match its schema. Apart from
// times of renewal, a response depends only on the script, the request and the number of
// earlier calls of the same kind for the object.
type Server struct {
	behaviour *Behaviour
	schemas

	mu     sync.Mutex
	nth    map[string]int
	calls  []Call
	broken []error
}

var _ tfplugin.ProviderServer = (*Server)(nil)

// Call is a call of the provider.
type Call struct {
	// Object is the type and, if the request has it, the name of the object. For a function, it
	// is the name of the function.
	Object string
	// What is the call with its action and inputs other than objects.
	What string
}

// NewServer returns a provider with the base schema and the declarations in schema. With
// a nil behaviour, no rules change its responses.
func NewServer(schema []byte, behaviour *Behaviour) (*Server, error) {
	if behaviour == nil {
		behaviour = &Behaviour{}
	}
	s := &Server{behaviour: behaviour, nth: map[string]int{}}
	var err error
	s.schemas, err = parseSchema("schema.hcl", schema)
	return s, err
}

// Calls returns the calls about objects and functions since the server was created, in
// order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Broken returns the errors in the script that occurred in calls.
func (s *Server) Broken() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// call is a call in progress.
type call struct {
	server *Server
	rules  []*rule
	// values are the values of the request by their names in expressions.
	values map[string]cty.Value
}

// begin records a call and returns it with the rules that match it. If one of them scripts a
// failure, begin returns the gRPC status of the failure as an error.
func (s *Server) begin(rpc, typeName, object, act string, values map[string]cty.Value, came ...string) (*call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.TrimSpace(typeName + " " + object)
	s.nth[rpc+" "+key]++
	what := strings.TrimSpace(rpc + " " + act)
	came = slices.DeleteFunc(came, func(c string) bool { return c == "" })
	if len(came) > 0 {
		what += " (" + strings.Join(came, ", ") + ")"
	}
	s.calls = append(s.calls, Call{Object: key, What: what})
	c := &call{server: s, rules: s.behaviour.matching(rpc, typeName, object, act, s.nth[rpc+" "+key]), values: values}
	for _, r := range c.rules {
		for code := codes.OK + 1; r.Fail != "" && code <= codes.Unauthenticated; code++ {
			if strings.EqualFold(code.String(), r.Fail) {
				return nil, status.Error(code, "scripted to fail")
			}
		}
	}
	return c, nil
}

// wrongScript records an error in the script and returns it with a text that
// distinguishes it from the scripted behaviour.
func (s *Server) wrongScript(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = fmt.Errorf("cannot execute the script: %w", err)
	s.broken = append(s.broken, err)
	return err
}

// state returns the object of the response, encoded and as a value. It is v by default.
func (c *call) state(v cty.Value, ty cty.Type) (*tfplugin.DynamicValue, cty.Value, error) {
	ctx := scope(c.values)
	for _, r := range c.rules {
		to, ok, err := evaluated(r.State, ctx)
		if err != nil {
			return nil, v, c.server.wrongScript(err)
		}
		if ok {
			v = shaped(to, ty)
		}
		changes, ok, err := evaluated(r.Set, ctx)
		if err != nil {
			return nil, v, c.server.wrongScript(err)
		}
		set := map[string]cty.Value{}
		if ok {
			set = changes.AsValueMap()
		}
		for _, dropped := range r.Drop {
			set[dropped] = cty.NilVal
		}
		for _, at := range sortedKeys(set) {
			path, err := parsePath(at)
			if err == nil {
				v, err = withSet(v, ty, path, set[at])
			}
			if err != nil {
				return nil, v, c.server.wrongScript(err)
			}
		}
	}
	out, err := encoded(v, ty, c.rules)
	if err != nil {
		err = c.server.wrongScript(err)
	}
	return out, v, err
}

// private returns the private data of the response, which is b by default.
func (c *call) private(b []byte) []byte {
	for _, r := range c.rules {
		if v, ok, err := evaluated(r.Private, scope(c.values)); err != nil {
			_ = c.server.wrongScript(err)
		} else if ok {
			b = nil
			if !v.IsNull() {
				b = []byte(v.AsString())
			}
		}
	}
	return b
}

// identity returns the identity of the response, which is v by default; cty.NilVal
// means none.
func (c *call) identity(typeName string, v cty.Value) (*tfplugin.ResourceIdentityData, error) {
	ty := cty.DynamicPseudoType
	if object := c.server.identityObject(typeName); object != nil {
		ty = object.ObjectType()
	}
	for _, r := range c.rules {
		to, ok, err := evaluated(r.Identity, scope(c.values))
		switch {
		case err != nil:
			return nil, c.server.wrongScript(err)
		case ok && to.IsNull():
			v = cty.NilVal
		case ok:
			v = shaped(to, ty)
		}
	}
	return identityData(v, ty)
}

func identityData(v cty.Value, ty cty.Type) (*tfplugin.ResourceIdentityData, error) {
	if v == cty.NilVal {
		return nil, nil
	}
	if ty == cty.DynamicPseudoType {
		ty = v.Type()
	}
	data, err := encoded(v, ty, nil)
	return &tfplugin.ResourceIdentityData{IdentityData: data}, err
}

// diagnostics returns the messages of the response.
func (c *call) diagnostics() []*tfplugin.Diagnostic {
	var out []*tfplugin.Diagnostic
	for _, r := range c.rules {
		for _, m := range []struct {
			severity tfplugin.DiagnosticSeverity
			summary  string
		}{{tfplugin.DiagnosticSeverityError, r.Error}, {tfplugin.DiagnosticSeverityWarning, r.Warning}} {
			if m.summary == "" {
				continue
			}
			d := &tfplugin.Diagnostic{Severity: m.severity, Summary: m.summary, Detail: "This is scripted."}
			if r.At != "" {
				path, err := parsePath(r.At)
				if err != nil {
					_ = c.server.wrongScript(err)
				}
				d.Attribute = wire.PathToProto(path)
			}
			out = append(out, d)
		}
	}
	return out
}

func (c *call) legacy() bool {
	return slices.ContainsFunc(c.rules, func(r *rule) bool { return r.Legacy })
}

func (c *call) deferred() *tfplugin.Deferred {
	if slices.ContainsFunc(c.rules, func(r *rule) bool { return r.Deferred }) {
		return &tfplugin.Deferred{Reason: tfplugin.DeferredReasonResourceConfigUnknown}
	}
	return nil
}

func (c *call) renewAt() (at time.Time) {
	for _, r := range c.rules {
		if r.RenewIn != nil {
			at = time.Now().Add(time.Duration(*r.RenewIn) * time.Millisecond)
		}
	}
	return at
}

// bodyOf returns the schema of a type, or nil if it is unknown or invalid.
func bodyOf(family map[string]*tfplugin.Schema, typeName string) *configschema.Block {
	_, body, err := wire.SchemaFromProto(family[typeName])
	if err != nil {
		return nil
	}
	return body
}

func (s *Server) identityObject(typeName string) *configschema.Object {
	_, object, err := wire.IdentitySchemaFromProto(s.identities[typeName])
	if err != nil {
		return nil
	}
	return object
}

// privateNote and valueNote render private data and values for Calls.
func privateNote(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	return "private " + string(b)
}

func valueNote(what string, v cty.Value) string {
	if v == cty.NilVal || v.IsNull() {
		return ""
	}
	if !v.IsWhollyKnown() {
		return what + " unknown"
	}
	text, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return what + " unreadable"
	}
	return what + " " + string(text)
}

// GetMetadata returns the status Unimplemented.
func (s *Server) GetMetadata(context.Context, *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return nil, status.Error(codes.Unimplemented, "metadata is not implemented")
}

// GetProviderSchema returns the base schema with the declarations given to NewServer.
func (s *Server) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	c, err := s.quiet("schema")
	if err != nil {
		return nil, err
	}
	out := s.response
	out.Diagnostics = c.diagnostics()
	return &out, nil
}

// GetResourceIdentitySchemas returns the identity schemas of the resource types that have an identity.
func (s *Server) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	c, err := s.quiet("identity_schemas")
	if err != nil {
		return nil, err
	}
	return &tfplugin.GetResourceIdentitySchemasResponse{IdentitySchemas: s.identities, Diagnostics: c.diagnostics()}, nil
}

// quiet begins a call that is not recorded: one for schemas, which clients cache, or about the
// provider's configuration.
func (s *Server) quiet(rpc string) (*call, error) {
	c, err := s.begin(rpc, "", "", "", nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = slices.DeleteFunc(s.calls, func(c Call) bool { return c.What == rpc && c.Object == "" })
	return c, err
}

// ValidateProviderConfig returns the configuration, and no diagnostics by default.
func (s *Server) ValidateProviderConfig(_ context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	c, err := s.quiet("validate_provider")
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: c.diagnostics()}, nil
}

// ConfigureProvider returns no diagnostics by default.
func (s *Server) ConfigureProvider(_ context.Context, _ *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	c, err := s.quiet("configure")
	if err != nil {
		return nil, err
	}
	return &tfplugin.ConfigureProviderResponse{Diagnostics: c.diagnostics()}, nil
}

// StopProvider does nothing.
func (s *Server) StopProvider(context.Context, *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return &tfplugin.StopProviderResponse{}, nil
}

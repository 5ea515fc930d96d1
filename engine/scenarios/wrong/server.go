package wrong

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

// Server is the provider. It may be asked from many goroutines.
type Server struct {
	behaviour *Behaviour
	schemas

	mu     sync.Mutex
	nth    map[string]int
	calls  []Call
	broken []error
}

var _ tfplugin.ProviderServer = (*Server)(nil)

// Call is one thing that the provider was asked.
type Call struct {
	// Object is the type and the name of the object, or the name of a function.
	Object string
	// What is the call, what it is for, and what came with it.
	What string
}

// NewServer is a provider of the base schema and what the text declares besides,
// that behaves as told; nil is well.
func NewServer(schema []byte, behaviour *Behaviour) (*Server, error) {
	if behaviour == nil {
		behaviour = &Behaviour{}
	}
	s := &Server{behaviour: behaviour, nth: map[string]int{}}
	var err error
	s.schemas, err = parseSchema("schema.hcl", schema)
	return s, err
}

// Calls are those since the server was made, in their order.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Broken are the mistakes of the script that came to light.
func (s *Server) Broken() []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.broken)
}

// call is one call that is being answered.
type call struct {
	server *Server
	rules  []*rule
	// values are what was asked, by their names in expressions.
	values map[string]cty.Value
	object string
}

// begin notes a call and finds the rules for it.
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
	c := &call{server: s, rules: s.behaviour.fitting(rpc, typeName, object, act, s.nth[rpc+" "+key]), values: values, object: object}
	for _, r := range c.rules {
		for code := codes.OK + 1; r.Fail != "" && code <= codes.Unauthenticated; code++ {
			if strings.EqualFold(code.String(), r.Fail) {
				return nil, status.Error(code, "scripted to fail")
			}
		}
	}
	return c, nil
}

// wrongScript notes a mistake of the script, which must not pass for behaviour.
func (s *Server) wrongScript(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = fmt.Errorf("the script cannot be obeyed: %w", err)
	s.broken = append(s.broken, err)
	return err
}

// state is the object that is answered, by itself v.
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

// private is the private data that is answered, by itself b.
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

// identity is the identity that is answered, by itself v; cty.NilVal is none.
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

// diagnostics are the messages that are answered.
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

// block is the schema of a type of a family, nil where it is none that could be
// read: then nothing is asked of it.
func block(family map[string]*tfplugin.Schema, typeName string) *configschema.Block {
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

// privateNote and valueNote are how private data and values appear in Calls.
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

// GetMetadata is what plugin-go asks of every server.
func (s *Server) GetMetadata(context.Context, *tfplugin.GetMetadataRequest) (*tfplugin.GetMetadataResponse, error) {
	return nil, status.Error(codes.Unimplemented, "there is no metadata")
}

// GetProviderSchema gives the schema.
func (s *Server) GetProviderSchema(context.Context, *tfplugin.GetProviderSchemaRequest) (*tfplugin.GetProviderSchemaResponse, error) {
	c, err := s.quiet("schema")
	if err != nil {
		return nil, err
	}
	out := s.response
	out.Diagnostics = c.diagnostics()
	return &out, nil
}

// GetResourceIdentitySchemas gives the schemas of identities.
func (s *Server) GetResourceIdentitySchemas(context.Context, *tfplugin.GetResourceIdentitySchemasRequest) (*tfplugin.GetResourceIdentitySchemasResponse, error) {
	c, err := s.quiet("identity_schemas")
	if err != nil {
		return nil, err
	}
	return &tfplugin.GetResourceIdentitySchemasResponse{IdentitySchemas: s.identities, Diagnostics: c.diagnostics()}, nil
}

// quiet begins a call that is not noted: when schemas are asked for is up to
// whoever caches them.
func (s *Server) quiet(rpc string) (*call, error) {
	c, err := s.begin(rpc, "", "", "", nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = slices.DeleteFunc(s.calls, func(c Call) bool { return c.What == rpc && c.Object == "" })
	return c, err
}

// ValidateProviderConfig says that all is well.
func (s *Server) ValidateProviderConfig(_ context.Context, req *tfplugin.ValidateProviderConfigRequest) (*tfplugin.ValidateProviderConfigResponse, error) {
	c, err := s.quiet("validate_provider")
	if err != nil {
		return nil, err
	}
	return &tfplugin.ValidateProviderConfigResponse{PreparedConfig: req.Config, Diagnostics: c.diagnostics()}, nil
}

// ConfigureProvider notes what it is configured with.
func (s *Server) ConfigureProvider(_ context.Context, _ *tfplugin.ConfigureProviderRequest) (*tfplugin.ConfigureProviderResponse, error) {
	c, err := s.quiet("configure")
	if err != nil {
		return nil, err
	}
	return &tfplugin.ConfigureProviderResponse{Diagnostics: c.diagnostics()}, nil
}

// StopProvider has nothing to stop.
func (s *Server) StopProvider(context.Context, *tfplugin.StopProviderRequest) (*tfplugin.StopProviderResponse, error) {
	return &tfplugin.StopProviderResponse{}, nil
}

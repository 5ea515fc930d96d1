package scenarios_test

import (
	_ "embed"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/posixform/terraform-provider-posix/internal/wire"
)

// baseSchema is part of each provider's schema; a scenario may redeclare its types.
//
//go:embed testdata/schema.hcl
var baseSchema []byte

// schemaFile is the HCL form of a provider's schema.
type schemaFile struct {
	Lacks      []string       `hcl:"lacks,optional"` // capabilities that are not declared; "provider" omits the provider's schema
	Provider   *objectSchema  `hcl:"provider,block"`
	Resources  []namedSchema  `hcl:"resource,block"`
	Data       []namedSchema  `hcl:"data,block"`
	Ephemerals []namedSchema  `hcl:"ephemeral,block"`
	Functions  []functionDecl `hcl:"function,block"`
}

// objectSchema has the parts of a block. Attributes are written as "type flag…".
type objectSchema struct {
	Version    int64             `hcl:"version,optional"`
	Deprecated string            `hcl:"deprecated,optional"` // the deprecation message; it does not set the flag
	Attributes map[string]string `hcl:"attributes,optional"`
	Nested     []nestedSchema    `hcl:"nested,block"`
	Blocks     []blockSchema     `hcl:"block,block"`
	Identity   *identitySchema   `hcl:"identity,block"`
}

type namedSchema struct {
	Name   string   `hcl:"name,label"`
	Remain hcl.Body `hcl:",remain"`
}

type nestedSchema struct {
	Mode   string   `hcl:"mode,label"`
	Name   string   `hcl:"name,label"`
	Flags  string   `hcl:"flags,optional"`
	Remain hcl.Body `hcl:",remain"`
}

type blockSchema struct {
	Mode   string   `hcl:"mode,label"`
	Name   string   `hcl:"name,label"`
	Min    int64    `hcl:"min,optional"`
	Max    int64    `hcl:"max,optional"`
	Remain hcl.Body `hcl:",remain"`
}

type identitySchema struct {
	Version    int64             `hcl:"version,optional"`
	Attributes map[string]string `hcl:"attributes,optional"`
}

// functionDecl has parameters in the form "type name flag…", with the flags null,
// unknown and variadic.
type functionDecl struct {
	Name       string   `hcl:"name,label"`
	Parameters []string `hcl:"parameters,optional"`
	Return     string   `hcl:"return"`
}

// schemas are the schemas of a provider. They are immutable after parsing.
type schemas struct {
	response   tfplugin.GetProviderSchemaResponse
	identities map[string]*tfplugin.ResourceIdentitySchema
}

// base returns the base schema, which it parses once.
var base = sync.OnceValues(func() (schemas, error) {
	out := schemas{
		response: tfplugin.GetProviderSchemaResponse{
			ServerCapabilities:       &tfplugin.ServerCapabilities{MoveResourceState: true, PlanDestroy: true},
			Provider:                 &tfplugin.Schema{Block: &tfplugin.SchemaBlock{}},
			ResourceSchemas:          map[string]*tfplugin.Schema{},
			DataSourceSchemas:        map[string]*tfplugin.Schema{},
			EphemeralResourceSchemas: map[string]*tfplugin.Schema{},
			Functions:                map[string]*tfplugin.Function{},
		},
		identities: map[string]*tfplugin.ResourceIdentitySchema{},
	}
	return out, out.add("base schema", baseSchema)
})

// parseSchema returns the base schema with the declarations in text added.
func parseSchema(filename string, text []byte) (schemas, error) {
	out, err := base()
	if err != nil {
		return out, err
	}
	capabilities := *out.response.ServerCapabilities
	out.response.ServerCapabilities = &capabilities
	out.response.ResourceSchemas = maps.Clone(out.response.ResourceSchemas)
	out.response.DataSourceSchemas = maps.Clone(out.response.DataSourceSchemas)
	out.response.EphemeralResourceSchemas = maps.Clone(out.response.EphemeralResourceSchemas)
	out.response.Functions = maps.Clone(out.response.Functions)
	out.identities = maps.Clone(out.identities)
	return out, out.add(filename, text)
}

// add adds declarations; existing types are replaced.
func (s *schemas) add(filename string, text []byte) error {
	parsed, diags := hclsyntax.ParseConfig(text, filename, hcl.InitialPos)
	if diags.HasErrors() {
		return fmt.Errorf("read schema: %w", diags)
	}
	var file schemaFile
	if diags := gohcl.DecodeBody(parsed.Body, nil, &file); diags.HasErrors() {
		return fmt.Errorf("read schema: %w", diags)
	}
	out := &s.response
	for _, lacks := range file.Lacks {
		switch lacks {
		case "move":
			out.ServerCapabilities.MoveResourceState = false
		case "plan_destroy":
			out.ServerCapabilities.PlanDestroy = false
		case "provider":
			out.Provider = nil
		default:
			return fmt.Errorf("unknown capability %q", lacks)
		}
	}
	if file.Provider != nil {
		schema, err := file.Provider.schema()
		if err != nil {
			return err
		}
		out.Provider = schema
	}
	for _, family := range []struct {
		declared []namedSchema
		out      map[string]*tfplugin.Schema
	}{
		{file.Resources, out.ResourceSchemas},
		{file.Data, out.DataSourceSchemas},
		{file.Ephemerals, out.EphemeralResourceSchemas},
	} {
		for _, declared := range family.declared {
			schema, identity, err := declared.schema()
			if err != nil {
				return fmt.Errorf("%s: %w", declared.Name, err)
			}
			family.out[declared.Name] = schema
			delete(s.identities, declared.Name)
			if identity != nil {
				s.identities[declared.Name] = identity
			}
		}
	}
	for _, declared := range file.Functions {
		function, err := declared.function()
		if err != nil {
			return fmt.Errorf("function %s: %w", declared.Name, err)
		}
		out.Functions[declared.Name] = function
	}
	return nil
}

func (n namedSchema) schema() (*tfplugin.Schema, *tfplugin.ResourceIdentitySchema, error) {
	var object objectSchema
	if diags := gohcl.DecodeBody(n.Remain, nil, &object); diags.HasErrors() {
		return nil, nil, diags
	}
	schema, err := object.schema()
	if err != nil || object.Identity == nil {
		return schema, nil, err
	}
	attributes, err := attributesOf(object.Identity.Attributes)
	if err != nil {
		return nil, nil, err
	}
	identity := &tfplugin.ResourceIdentitySchema{Version: object.Identity.Version}
	for _, a := range attributes {
		identity.IdentityAttributes = append(identity.IdentityAttributes, &tfplugin.ResourceIdentitySchemaAttribute{
			Name: a.Name, Type: a.Type, RequiredForImport: a.Required, OptionalForImport: a.Optional,
		})
	}
	return schema, identity, nil
}

func (o objectSchema) schema() (*tfplugin.Schema, error) {
	block, err := o.block()
	if err != nil {
		return nil, err
	}
	return &tfplugin.Schema{Version: o.Version, Block: block}, nil
}

func (o objectSchema) block() (*tfplugin.SchemaBlock, error) {
	attributes, err := attributesOf(o.Attributes)
	if err != nil {
		return nil, err
	}
	nested, err := nestedOf(o.Nested)
	if err != nil {
		return nil, err
	}
	out := &tfplugin.SchemaBlock{Attributes: append(attributes, nested...), DeprecationMessage: o.Deprecated}
	for _, b := range o.Blocks {
		var inner objectSchema
		if diags := gohcl.DecodeBody(b.Remain, nil, &inner); diags.HasErrors() {
			return nil, diags
		}
		block, err := inner.block()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", b.Name, err)
		}
		out.BlockTypes = append(out.BlockTypes, &tfplugin.SchemaNestedBlock{
			TypeName: b.Name, Nesting: blockModes[b.Mode], MinItems: b.Min, MaxItems: b.Max, Block: block,
		})
	}
	return out, nil
}

var blockModes = map[string]tfplugin.SchemaNestedBlockNestingMode{
	"single": tfplugin.SchemaNestedBlockNestingModeSingle,
	"group":  tfplugin.SchemaNestedBlockNestingModeGroup,
	"list":   tfplugin.SchemaNestedBlockNestingModeList,
	"set":    tfplugin.SchemaNestedBlockNestingModeSet,
	"map":    tfplugin.SchemaNestedBlockNestingModeMap,
}

var objectModes = map[string]tfplugin.SchemaObjectNestingMode{
	"single": tfplugin.SchemaObjectNestingModeSingle,
	"list":   tfplugin.SchemaObjectNestingModeList,
	"set":    tfplugin.SchemaObjectNestingModeSet,
	"map":    tfplugin.SchemaObjectNestingModeMap,
}

func nestedOf(declared []nestedSchema) ([]*tfplugin.SchemaAttribute, error) {
	var out []*tfplugin.SchemaAttribute
	for _, n := range declared {
		var inner objectSchema
		if diags := gohcl.DecodeBody(n.Remain, nil, &inner); diags.HasErrors() {
			return nil, diags
		}
		block, err := inner.block()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", n.Name, err)
		}
		a := &tfplugin.SchemaAttribute{Name: n.Name, NestedType: &tfplugin.SchemaObject{
			Attributes: block.Attributes, Nesting: objectModes[n.Mode],
		}}
		if rest := withFlags(a, n.Flags); rest != "" {
			// Both a type and a nested type: an intentional mistake.
			if a.Type, err = typeOf(rest); err != nil {
				return nil, err
			}
		}
		out = append(out, a)
	}
	return out, nil
}

func attributesOf(declared map[string]string) ([]*tfplugin.SchemaAttribute, error) {
	out := make([]*tfplugin.SchemaAttribute, 0, len(declared))
	for _, name := range sortedKeys(declared) {
		a := &tfplugin.SchemaAttribute{Name: name}
		var err error
		if a.Type, err = typeOf(withFlags(a, declared[name])); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, a)
	}
	return out, nil
}

// withFlags sets the flags at the end of the text and returns the text before them.
func withFlags(a *tfplugin.SchemaAttribute, text string) (rest string) {
	words := strings.Fields(text)
	for len(words) > 0 {
		switch words[len(words)-1] {
		case "required":
			a.Required = true
		case "optional":
			a.Optional = true
		case "computed":
			a.Computed = true
		case "sensitive":
			a.Sensitive = true
		case "write_only":
			a.WriteOnly = true
		case "deprecated":
			a.Deprecated = true
		case "deprecation":
			a.DeprecationMessage = "use another one"
		default:
			return strings.Join(words, " ")
		}
		words = words[:len(words)-1]
	}
	return ""
}

// typeOf parses a type constraint; "none" means no type.
func typeOf(text string) (tftypes.Type, error) {
	if text == "none" {
		return nil, nil
	}
	expr, diags := hclsyntax.ParseExpression([]byte(text), "type", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, diags
	}
	ty, diags := typeexpr.TypeConstraint(expr)
	if diags.HasErrors() {
		return nil, diags
	}
	return wire.TypeToProto(ty)
}

func (f functionDecl) function() (*tfplugin.Function, error) {
	ret, err := typeOf(f.Return)
	if err != nil {
		return nil, err
	}
	out := &tfplugin.Function{Return: &tfplugin.FunctionReturn{Type: ret}}
	for _, text := range f.Parameters {
		words := strings.Fields(text)
		ty, err := typeOf(words[0])
		if err != nil {
			return nil, err
		}
		p := &tfplugin.FunctionParameter{Type: ty, Name: words[1]}
		variadic := false
		for _, flag := range words[2:] {
			switch flag {
			case "null":
				p.AllowNullValue = true
			case "unknown":
				p.AllowUnknownValues = true
			case "variadic":
				variadic = true
			}
		}
		if variadic {
			out.VariadicParameter = p
		} else {
			out.Parameters = append(out.Parameters, p)
		}
	}
	return out, nil
}

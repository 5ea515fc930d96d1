package lang

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/dynblock"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
)

// Reference is a parsed traversal: its subject, and the steps after the subject.
type Reference struct {
	Subject Referenceable
	// Remaining is the rest of the traversal after the subject.
	Remaining hcl.Traversal
	// Range is the source range of the subject.
	Range hcl.Range
}

// InvalidName returns the error of a reference to a name that its root never has, such as
// path.foo, or nil.
func (r Reference) InvalidName() *hcl.Diagnostic {
	switch r.Subject.(type) {
	case PathAttr, TerraformAttr, CountAttr, EachAttr:
	default:
		return nil
	}
	root, name, _ := strings.Cut(r.Subject.String(), ".")
	names := namedRoots[root].only
	if slices.Contains(names, name) {
		return nil
	}
	return &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: fmt.Sprintf("Invalid %q attribute", root), Subject: r.Range.Ptr(),
		Detail: fmt.Sprintf("%s does not exist. Available: %s.%s.", r.Subject, root, strings.Join(names, ", "+root+".")),
	}
}

// ParseReference returns the reference of a traversal. It does not check whether the
// subject exists.
func ParseReference(traversal hcl.Traversal) (Reference, hcl.Diagnostics) {
	p := parser{all: traversal, root: traversal.RootName()}
	switch p.root {
	case "data":
		return p.resource(addrs.DataResourceMode, 1)
	case "ephemeral":
		return p.resource(addrs.EphemeralResourceMode, 1)
	case "list":
		return p.resource(addrs.ListResourceMode, 1)
	case "resource":
		return p.resource(addrs.ManagedResourceMode, 1)
	case "module":
		return p.module()
	case "self":
		return p.found(SelfAddr{}, 1)
	case "template", "lazy", "arg":
		return p.fail(0, "Reserved symbol name", fmt.Sprintf(
			"The name %q is reserved. To refer to a resource of a type with this name, start with \"resource.\".", p.root))
	}
	if named, ok := namedRoots[p.root]; ok {
		return p.named(named)
	}
	return p.resource(addrs.ManagedResourceMode, 0)
}

// namedRoot is a root name whose attributes are subjects.
type namedRoot struct {
	subject func(name string) Referenceable
	// only are the permitted attributes; empty if the configuration declares them.
	only []string
}

var namedRoots = map[string]namedRoot{
	"var":       {subject: func(n string) Referenceable { return addrs.InputVariable{Name: n} }},
	"local":     {subject: func(n string) Referenceable { return addrs.LocalValue{Name: n} }},
	"path":      {func(n string) Referenceable { return PathAttr{n} }, []string{"cwd", "module", "root"}},
	"terraform": {func(n string) Referenceable { return TerraformAttr{n, "terraform"} }, []string{"workspace", "applying"}},
	"tofu":      {func(n string) Referenceable { return TerraformAttr{n, "tofu"} }, []string{"workspace", "applying"}},
	"count":     {func(n string) Referenceable { return CountAttr{n} }, []string{"index"}},
	"each":      {func(n string) Referenceable { return EachAttr{n} }, []string{"key", "value"}},
}

// parser parses a traversal into a [Reference].
type parser struct {
	all  hcl.Traversal
	root string
}

// attr returns the name at step i, if the step is the root or an attribute.
func (p parser) attr(i int) (string, bool) {
	if i >= len(p.all) {
		return "", false
	}
	switch step := p.all[i].(type) {
	case hcl.TraverseRoot:
		return step.Name, true
	case hcl.TraverseAttr:
		return step.Name, true
	default:
		return "", false
	}
}

// found returns the reference whose subject has the first n steps.
func (p parser) found(subject Referenceable, n int) (Reference, hcl.Diagnostics) {
	return Reference{Subject: subject, Remaining: p.all[n:], Range: p.all[:n].SourceRange()}, nil
}

// fail returns an error about step i, or about the whole traversal if there is no such
// step.
func (p parser) fail(i int, summary, detail string) (Reference, hcl.Diagnostics) {
	at := p.all.SourceRange()
	if i < len(p.all) {
		at = p.all[i].SourceRange()
	}
	return Reference{}, hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at,
	}}
}

func (p parser) invalid(i int, format string, args ...any) (Reference, hcl.Diagnostics) {
	return p.fail(i, "Invalid reference", fmt.Sprintf(format, args...))
}

func (p parser) named(root namedRoot) (Reference, hcl.Diagnostics) {
	name, ok := p.attr(1)
	if !ok {
		return p.notAnAttribute()
	}
	return p.found(root.subject(name), 2)
}

// notAnAttribute returns the error for a root that is not followed by a name.
func (p parser) notAnAttribute() (Reference, hcl.Diagnostics) {
	if len(p.all) == 1 {
		return p.invalid(0, "%q is not a value. Use one of its attributes, as in %s.NAME.", p.root, p.root)
	}
	return p.invalid(1, "%q has no elements. Use one of its attributes, as in %s.NAME.", p.root, p.root)
}

// resource parses TYPE.NAME from step i on, with an optional key.
func (p parser) resource(mode addrs.ResourceMode, i int) (Reference, hcl.Diagnostics) {
	typeName, ok := p.attr(i)
	if !ok {
		return p.invalid(i, "%q must be followed by a type and a name, as in %s.TYPE.NAME.", p.root, p.root)
	}
	name, ok := p.attr(i + 1)
	if !ok {
		return p.invalid(i+1, "The resource type %q must be followed by the name of a resource.", typeName)
	}
	r := addrs.Resource{Mode: mode, Type: typeName, Name: name}
	key, hasKey, diags := p.key(i+2, "resource")
	if diags.HasErrors() {
		return Reference{}, diags
	}
	if hasKey {
		return p.found(r.Instance(key), i+3)
	}
	return p.found(r, i+2)
}

// key returns the instance key at step i, if there is an index.
func (p parser) key(i int, of string) (addrs.InstanceKey, bool, hcl.Diagnostics) {
	if i >= len(p.all) {
		return addrs.NoKey, false, nil
	}
	step, ok := p.all[i].(hcl.TraverseIndex)
	if !ok {
		return addrs.NoKey, false, nil
	}
	if t := step.Key.Type(); !step.Key.IsKnown() || t != cty.String && t != cty.Number {
		_, diags := p.fail(i, "Invalid index key", fmt.Sprintf("Instance keys of a %s must be numbers or strings.", of))
		return addrs.NoKey, false, diags
	}
	key, ok := addrs.ParseKey(step.Key)
	if !ok {
		_, diags := p.fail(i, "Invalid index key", fmt.Sprintf("Numeric instance keys of a %s must be non-negative whole numbers.", of))
		return addrs.NoKey, false, diags
	}
	return key, true, nil
}

// module parses module.CALL, or one output of an instance. For an instance as a whole,
// the subject is the call, and the index remains.
func (p parser) module() (Reference, hcl.Diagnostics) {
	name, ok := p.attr(1)
	if !ok {
		return p.notAnAttribute()
	}
	call := addrs.ModuleCall{Name: name}
	key, hasKey, diags := p.key(2, "module")
	if diags.HasErrors() {
		return Reference{}, diags
	}
	at := 2
	if hasKey {
		at = 3
	}
	if at == len(p.all) {
		return p.found(call, 2)
	}
	output, ok := p.attr(at)
	if !ok {
		return p.invalid(at, "An instance of a module has outputs only. Use one, as in module.%s%s.NAME.", name, addrs.KeyString(key))
	}
	return p.found(ModuleCallOutput{Call: call, Key: key, Name: output}, at+1)
}

// References returns the references of traversals in their order. Invalid ones are
// reported.
func References(traversals []hcl.Traversal) ([]Reference, hcl.Diagnostics) {
	if len(traversals) == 0 {
		return nil, nil
	}
	var diags hcl.Diagnostics
	refs := make([]Reference, 0, len(traversals))
	for _, traversal := range traversals {
		ref, more := ParseReference(traversal)
		diags = append(diags, more...)
		if !more.HasErrors() {
			refs = append(refs, ref)
		}
	}
	return refs, diags
}

// ReferencesInExpr returns the references of the expression, without names that it
// declares itself (in a for expression). A nil expression has none.
func ReferencesInExpr(expr hcl.Expression) ([]Reference, hcl.Diagnostics) {
	if expr == nil {
		return nil, nil
	}
	return References(expr.Variables())
}

// ReferencesInBody returns the references of the parts of the body that the schema
// describes, in source order and including dynamic blocks, without their iterators.
func ReferencesInBody(body hcl.Body, schema *configschema.Block) ([]Reference, hcl.Diagnostics) {
	if body == nil {
		return nil, nil
	}
	traversals := bodyTraversals(dynblock.WalkVariables(body), decoderOf(schema), nil)
	slices.SortStableFunc(traversals, func(a, b hcl.Traversal) int {
		ra, rb := a.SourceRange(), b.SourceRange()
		return cmp.Or(cmp.Compare(ra.Filename, rb.Filename), cmp.Compare(ra.Start.Byte, rb.Start.Byte))
	})
	return References(traversals)
}

func bodyTraversals(node dynblock.WalkVariablesNode, d *decoder, found []hcl.Traversal) []hcl.Traversal {
	here, children := node.Visit(d.content)
	found = append(found, here...)
	for _, child := range children {
		if nested := d.nested(child.BlockTypeName); nested != nil {
			found = bodyTraversals(child.Node, nested, found)
		}
	}
	return found
}

// nested returns the decoder of a block type, or of an attribute that is written as blocks, or nil.
func (d *decoder) nested(name string) *decoder {
	for i := range d.blocks {
		if d.blocks[i].name == name {
			return d.blocks[i].body
		}
	}
	for i := range d.attributes {
		if a := &d.attributes[i]; a.name == name && a.asBlocks != nil {
			return a.asBlocks.body
		}
	}
	return nil
}

// Referenceable is the subject of a reference, relative to its module. The values are
// comparable: [addrs.Resource] for a resource without a key, [addrs.ResourceInstance]
// for one with a key, [addrs.InputVariable], [addrs.LocalValue], [addrs.ModuleCall] for
// a call as a whole, and the types of this file.
type Referenceable interface{ fmt.Stringer }

// ModuleCallOutput is an output of an instance of a module call.
type ModuleCallOutput struct {
	Call addrs.ModuleCall
	Key  addrs.InstanceKey
	Name string
}

// String returns `module.call["key"].name`.
func (o ModuleCallOutput) String() string {
	return o.Call.String() + addrs.KeyString(o.Key) + "." + o.Name
}

// PathAttr is an attribute of path. The valid names are "module", "root" and "cwd".
type PathAttr struct{ Name string }

// String returns "path.name".
func (a PathAttr) String() string { return "path." + a.Name }

// TerraformAttr is an attribute of terraform or tofu. The valid names are "workspace" and "applying".
type TerraformAttr struct {
	Name string
	// Alias is the root as written: "terraform" or "tofu".
	Alias string
}

// String returns "terraform.name" or "tofu.name".
func (a TerraformAttr) String() string { return a.Alias + "." + a.Name }

// CountAttr is an attribute of count. The only valid name is "index".
type CountAttr struct{ Name string }

// String returns "count.name".
func (a CountAttr) String() string { return "count." + a.Name }

// EachAttr is an attribute of each. The valid names are "key" and "value".
type EachAttr struct{ Name string }

// String returns "each.name".
func (a EachAttr) String() string { return "each." + a.Name }

// SelfAddr is the object that contains the expression.
type SelfAddr struct{}

// String returns "self".
func (SelfAddr) String() string { return "self" }

// ProviderFunctionName returns the name of a provider's function in configurations, by
// the provider's local name.
func ProviderFunctionName(provider, function string) string {
	return "provider::" + provider + "::" + function
}

// ParseProviderFunctionName is the inverse of [ProviderFunctionName]. It returns false for
// other names.
func ParseProviderFunctionName(name string) (provider, function string, ok bool) {
	parts := strings.Split(name, "::")
	if len(parts) != 3 || parts[0] != "provider" || parts[1] == "" || parts[2] == "" {
		return "", "", false
	}
	return parts[1], parts[2], true
}

// ProviderFunctionsInExpr returns the sorted names of provider functions that the
// expression calls.
func ProviderFunctionsInExpr(expr hcl.Expression) []string {
	if expr == nil {
		return nil
	}
	return sortedSet(functionsInExpr(expr, nil))
}

// ProviderFunctionsInBody returns the sorted names of provider functions that the body
// calls.
func ProviderFunctionsInBody(body hcl.Body) []string {
	if native, ok := body.(*hclsyntax.Body); ok {
		return sortedSet(functionsInNode(native, nil))
	}
	if body == nil || !json.IsJSONBody(body) {
		return nil
	}
	var names []string
	attributes, _ := body.JustAttributes() // in JSON, blocks are attributes, too
	for _, attribute := range attributes {
		names = functionsInExpr(attribute.Expr, names)
	}
	return sortedSet(names)
}

func sortedSet(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

func functionsInExpr(expr hcl.Expression, found []string) []string {
	expr = hcl.UnwrapExpression(expr)
	if native, ok := expr.(hclsyntax.Expression); ok {
		return functionsInNode(native, found)
	}
	if json.IsJSONExpression(expr) {
		return functionsInJSON(expr, found)
	}
	return found
}

func functionsInNode(node hclsyntax.Node, found []string) []string {
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visitor returns no diagnostics
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && strings.HasPrefix(call.Name, "provider::") {
			found = append(found, call.Name)
		}
		return nil
	})
	return found
}

// functionsInJSON appends to found the names of the provider functions that the templates in JSON
// strings call.
func functionsInJSON(expr hcl.Expression, found []string) []string {
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		for _, pair := range pairs {
			found = functionsInJSON(pair.Value, functionsInJSON(pair.Key, found))
		}
		return found
	}
	if items, diags := hcl.ExprList(expr); !diags.HasErrors() {
		for _, item := range items {
			found = functionsInJSON(item, found)
		}
		return found
	}
	text, diags := expr.Value(nil) // without a context, a string is returned literally
	if diags.HasErrors() || text.Type() != cty.String || !text.IsKnown() || text.IsNull() {
		return found
	}
	template, diags := hclsyntax.ParseTemplate([]byte(text.AsString()), expr.Range().Filename, hcl.InitialPos)
	if diags.HasErrors() { // reported by the evaluation
		return found
	}
	return functionsInNode(template, found)
}

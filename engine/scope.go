package engine

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// scope evaluates expressions in one context: in a module instance, or in a block with its
// repetition and, where "self" is allowed, the value of the block.
type scope struct {
	*walk
	module addrs.ModuleInstance
	config *configs.Config
	rep    repetition
	// self is the value of "self", or cty.NilVal. selfBlock is its block.
	self      cty.Value
	selfBlock *configs.Resource
	// check is the name of the check block whose assertions are evaluated, or "".
	check string
}

func (w *walk) scope(module addrs.ModuleInstance, config *configs.Config) *scope {
	return &scope{walk: w, module: module, config: config}
}

// repeated returns the scope inside of an instance of a block.
func (s *scope) repeated(r repetition) *scope {
	inner := *s
	inner.rep = r
	return &inner
}

func (s *scope) withSelf(v cty.Value, block *configs.Resource) *scope {
	inner := *s
	inner.self, inner.selfBlock = v, block
	return &inner
}

// expr evaluates an expression and converts the value to the type. With errors, the value is unknown.
func (s *scope) expr(expr hcl.Expression, want cty.Type) (cty.Value, tfdiags.Diagnostics) {
	found := refsInExpr(expr)
	ctx, diags := s.evalContext(found)
	if diags.HasErrors() {
		return cty.UnknownVal(want), diags
	}
	v, moreDiags := s.evaluate(expr, found, ctx)
	diags = append(diags, moreDiags...)
	if moreDiags.HasErrors() {
		return cty.UnknownVal(want), diags
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		return cty.UnknownVal(want), diags.Append(&hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Incorrect value type", Subject: expr.Range().Ptr(),
			Detail: "Invalid expression value: " + err.Error() + ".",
		})
	}
	converted, warnings := s.warnDeprecated(converted, expr.Range().Ptr())
	return converted, append(diags, warnings...)
}

// evaluate evaluates an expression with the values of its references.
func (s *scope) evaluate(expr hcl.Expression, found *refSet, ctx *hcl.EvalContext) (cty.Value, tfdiags.Diagnostics) {
	v, diags := expr.Value(ctx)
	if diags.HasErrors() {
		diags = s.explainUnknown(s.config, diags, found.functions)
	}
	return v, tfdiags.Diagnostics{}.Append(diags)
}

// body evaluates a body by its schema.
func (s *scope) body(body hcl.Body, schema *configschema.Block) (cty.Value, tfdiags.Diagnostics) {
	found := s.readings.of(body, schema)
	ctx, diags := s.evalContext(found)
	if diags.HasErrors() {
		return cty.UnknownVal(schema.ImpliedType()), diags
	}
	v, moreDiags := lang.DecodeBody(lang.ExpandDynamic(body, schema, ctx), schema, ctx)
	if moreDiags.HasErrors() {
		moreDiags = s.explainUnknown(s.config, moreDiags, found.functions)
	}
	v, warnings := s.warnDeprecated(v, nil)
	return v, append(diags.Append(moreDiags), warnings.InBody(body)...)
}

// evalContext returns the values of the references, and the errors in them. Like core, it first
// checks references to resources, modules and self. If there are errors in them, it returns no
// values, and does not report errors in the other references.
func (s *scope) evalContext(found *refSet) (*hcl.EvalContext, tfdiags.Diagnostics) {
	var static, diags hcl.Diagnostics
	tree := map[string]any{}
	put := func(v cty.Value, path ...string) {
		at := tree
		for _, name := range path[:len(path)-1] {
			next, ok := at[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[name] = next
			}
			at = next
		}
		at[path[len(path)-1]] = v
	}
	for _, ref := range found.refs {
		if problem := s.invalidName(ref); problem != nil {
			diags = append(diags, problem)
			root, name, _ := strings.Cut(ref.Subject.String(), ".")
			put(cty.DynamicVal, root, name)
			continue
		}
		switch subject := ref.Subject.(type) {
		case addrs.Resource:
			static = append(static, s.putResource(ref, subject, put)...)
		case addrs.ResourceInstance:
			static = append(static, s.putResource(ref, subject.Resource, put)...)
		case addrs.InputVariable:
			v, ok := s.values.get(valueKey{s.module.String(), kindVariable, subject.Name})
			if !ok {
				if s.config.Module.Variables[subject.Name] == nil {
					diags = append(diags, undeclared(ref, "input variable", "There is no variable \""+subject.Name+"\" in "+moduleText(s.config.Path)+"."))
				}
				v = cty.DynamicVal
			}
			put(v, "var", subject.Name)
		case addrs.LocalValue:
			v, ok := s.values.get(valueKey{s.module.String(), kindLocal, subject.Name})
			if !ok {
				if s.config.Module.Locals[subject.Name] == nil {
					diags = append(diags, undeclared(ref, "local value", "There is no local value \""+subject.Name+"\" in "+moduleText(s.config.Path)+"."))
				}
				v = cty.DynamicVal
			}
			put(v, "local", subject.Name)
		case addrs.ModuleCall:
			static = append(static, s.putModule(ref, subject.Name, put)...)
		case lang.ModuleCallOutput:
			static = append(static, s.putModule(ref, subject.Call.Name, put)...)
		case lang.PathAttr:
			put(s.pathValue(subject.Name), "path", subject.Name)
		case lang.TerraformAttr:
			if s.isResourceType(subject) {
				static = append(static, s.putResource(ref, addrs.Resource{Mode: addrs.ManagedResourceMode, Type: subject.Alias, Name: subject.Name}, put)...)
				continue
			}
			v := cty.StringVal("default")
			if subject.Name == "applying" {
				destroying := s.destroying() && s.options.Flavor == Terraform // in Terraform, a destroy is not an apply
				v = cty.BoolVal(s.op == applying && !destroying).Mark(lang.Ephemeral)
			}
			put(v, subject.Alias, subject.Name)
		case lang.CountAttr:
			if s.rep.index == cty.NilVal {
				diags = append(diags, invalidHere(ref, "Reference to \"count\" in non-counted context", "This block has no \"count\", so count.index is not available. Add \"count\", or remove the reference."))
				put(cty.DynamicVal, "count", "index")
				continue
			}
			put(s.rep.index, "count", "index")
		case lang.EachAttr:
			if s.rep.key == cty.NilVal {
				summary := "Reference to \"each\" in context without for_each"
				if subject.Name == "value" {
					summary = "each.value cannot be used in this context"
				}
				diags = append(diags, invalidHere(ref, summary, "This block has no \"for_each\", so each.key and each.value are not available. Add \"for_each\", or remove the reference."))
				put(cty.DynamicVal, "each", subject.Name)
				continue
			}
			put(s.rep.key, "each", "key")
			put(s.rep.value, "each", "value")
		case lang.SelfAddr:
			if s.self == cty.NilVal {
				static = append(static, invalidHere(ref, "Invalid \"self\" reference", "\"self\" is only available in postconditions of resources."))
				continue
			}
			static = append(static, s.validateTraversal(ref, s.selfBlock)...)
			put(s.markDeprecated(s.self, s.selfBlock, false), "self")
		default:
			diags = append(diags, invalidHere(ref, "Unsupported reference", "The engine does not support this reference."))
		}
	}
	ctx := &hcl.EvalContext{}
	if found.calls {
		ctx = s.functionContext(s.config, found.functions)
	}
	ctx.Variables = make(map[string]cty.Value, len(tree))
	if static.HasErrors() {
		return ctx, tfdiags.Diagnostics{}.Append(found.problems, static)
	}
	for name, v := range tree {
		ctx.Variables[name] = objectOf(v)
	}
	return ctx, tfdiags.Diagnostics{}.Append(found.problems, diags)
}

// isResourceType reports whether attr refers to a resource of the type "tofu" instead: Terraform
// has no object named tofu.
func (s *scope) isResourceType(attr lang.TerraformAttr) bool {
	return attr.Alias == "tofu" && s.options.Flavor == Terraform
}

// invalidName returns the error of a reference to a name that its root never has, or nil.
func (s *scope) invalidName(ref lang.Reference) *hcl.Diagnostic {
	if attr, ok := ref.Subject.(lang.TerraformAttr); ok && s.isResourceType(attr) {
		return nil
	}
	return ref.InvalidName()
}

// dependsOn checks that the traversals of a depends_on refer to whole objects and, up to the first
// error, that these objects exist.
func (s *scope) dependsOn(traversals []hcl.Traversal) tfdiags.Diagnostics {
	refs, _ := lang.References(traversals) // the graph reports errors
	var diags tfdiags.Diagnostics
	for _, ref := range refs {
		if len(ref.Remaining) > 0 {
			diags = append(diags, errorAt(ref.Range, "Invalid depends_on reference", "\"depends_on\" can refer only to whole objects such as resources, not to their attributes.")...)
		}
		if diags.HasErrors() {
			continue
		}
		_, moreDiags := s.evalContext(&refSet{refs: []lang.Reference{ref}})
		diags = append(diags, moreDiags...)
	}
	return diags
}

// objectOf converts nested maps to objects.
func objectOf(v any) cty.Value {
	if v, ok := v.(cty.Value); ok {
		return v
	}
	m := v.(map[string]any)
	vals := make(map[string]cty.Value, len(m))
	for name, v := range m {
		vals[name] = objectOf(v)
	}
	return cty.ObjectVal(vals)
}

type putFunc = func(v cty.Value, path ...string)

func (s *scope) putResource(ref lang.Reference, r addrs.Resource, put putFunc) hcl.Diagnostics {
	block := s.config.Module.Resources[r]
	if block == nil {
		kind := map[addrs.ResourceMode]string{addrs.ManagedResourceMode: "managed resource", addrs.DataResourceMode: "data resource", addrs.EphemeralResourceMode: "ephemeral resource", addrs.ListResourceMode: "list resource"}[r.Mode]
		return hcl.Diagnostics{invalidHere(ref, "Reference to undeclared resource", "There is no "+kind+" \""+r.Type+"\" \""+r.Name+"\" in "+moduleText(s.config.Path)+".")}
	}
	if block.InCheck != "" && block.InCheck != s.check {
		return hcl.Diagnostics{invalidHere(ref, "Reference to scoped resource", r.String()+" is in the check block \""+block.InCheck+"\", and only its assertions can refer to it.")}
	}
	var diags hcl.Diagnostics
	repeated := block.Count != nil || block.ForEach != nil
	switch _, keyed := ref.Subject.(addrs.ResourceInstance); {
	case keyed && !repeated:
		diags = hcl.Diagnostics{invalidHere(ref, "Unexpected resource instance key", r.String()+" has neither \"count\" nor \"for_each\", so a reference to it cannot have an instance key. Remove the key.")}
	case !keyed && repeated && len(ref.Remaining) > 0:
		diags = hcl.Diagnostics{invalidHere(ref, "Missing resource instance key", r.String()+" has several instances, so a reference to an attribute needs an instance key.")}
	}
	if diags = append(diags, s.validateTraversal(ref, block)...); diags.HasErrors() {
		return diags
	}
	v := s.markDeprecated(s.objects.whole(r.Absolute(s.module)), block, repeated)
	if s.op == validating && repeated && r.Mode == addrs.EphemeralResourceMode {
		v = v.Mark(lang.Ephemeral) // the instances are not known
	}
	switch r.Mode {
	case addrs.DataResourceMode:
		put(v, "data", r.Type, r.Name)
	case addrs.EphemeralResourceMode:
		put(v, "ephemeral", r.Type, r.Name)
	case addrs.ListResourceMode:
		put(v, "list", r.Type, r.Name)
	default:
		put(v, r.Type, r.Name)
		put(v, "resource", r.Type, r.Name)
	}
	return nil
}

// validateTraversal returns the errors in the rest of a reference to an object of the block.
func (s *scope) validateTraversal(ref lang.Reference, block *configs.Resource) hcl.Diagnostics {
	if len(ref.Remaining) == 0 || block.Addr.Mode == addrs.ListResourceMode { // the value of a list block does not have the type of the schema
		return nil
	}
	if step, ok := ref.Remaining[0].(hcl.TraverseAttr); ok && step.Name == "count" {
		return hcl.Diagnostics{invalidHere(ref, "Invalid resource count attribute", "Objects have no attribute \"count\". The number of instances is length("+block.Addr.String()+").")}
	}
	return s.validateAttributes(ref.Remaining, block)
}

// validateAttributes returns the errors in a traversal that is relative to an object of the
// block, as far as the schema determines them.
func (s *scope) validateAttributes(traversal hcl.Traversal, block *configs.Resource) hcl.Diagnostics {
	schema := s.typeSchema(block)
	if schema == nil { // the graph has an error about it
		return nil
	}
	return lang.StaticValidateTraversal(schema.Body, traversal)
}

// typeSchema returns the schema of a block of the module, or nil.
func (s *scope) typeSchema(block *configs.Resource) *typeSchema {
	return s.schema(s.ctx, s.config.ProviderFor(block.ProviderConfigRef.LocalName)).of(block.Addr.Mode)[block.Addr.Type]
}

func (s *scope) putModule(ref lang.Reference, name string, put putFunc) hcl.Diagnostics {
	child := s.config.Children[name]
	if child == nil {
		return hcl.Diagnostics{undeclared(ref, "module", "There is no module call \""+name+"\" in "+moduleText(s.config.Path)+".")}
	}
	put(s.moduleValue(name, child), "module", name)
	return nil
}

// moduleValue returns the value of module.name: an object of the outputs, or a tuple or object of such
// objects if the call is repeated. The value is null if the call is not enabled, and unknown if there
// is no instance for another reason. For a validation, see unknownModule.
func (s *scope) moduleValue(name string, child *configs.Config) cty.Value {
	outputs := func(m addrs.ModuleInstance) cty.Value {
		vals := make(map[string]cty.Value, len(child.Module.Outputs))
		for out, o := range child.Module.Outputs {
			v, ok := s.values.get(valueKey{m.String(), kindOutput, out})
			if !ok {
				v = cty.DynamicVal
			}
			call := lang.ModuleCallOutput{Call: addrs.ModuleCall{Name: name}, Key: m[len(m)-1].InstanceKey, Name: out}
			vals[out] = s.markOutput(v, call, o)
		}
		return cty.ObjectVal(vals)
	}
	call := s.config.Module.ModuleCalls[name]
	if s.op == validating {
		return s.unknownModule(call, child.Module.Outputs)
	}
	var (
		list    []cty.Value
		byKey   = map[string]cty.Value{}
		parent  = s.module.String()
		current cty.Value
	)
	// OpenTofu finds the instances by their outputs, so a module without outputs has none.
	hidden := s.options.Flavor == OpenTofu && len(child.Module.Outputs) == 0 && (call.Count != nil || call.ForEach != nil || call.Enabled != nil)
	for _, inst := range s.moduleInstances(child.Path) {
		if hidden || inst.addr.Parent().String() != parent {
			continue
		}
		v := outputs(inst.addr)
		switch k := inst.addr[len(inst.addr)-1].InstanceKey.(type) {
		case addrs.IntKey:
			list = append(list, v)
		case addrs.StringKey:
			byKey[string(k)] = v
		default:
			current = v
		}
	}
	switch {
	case call.Count != nil:
		return cty.TupleVal(list)
	case call.ForEach != nil:
		return cty.ObjectVal(byKey)
	case current != cty.NilVal:
		return current
	case call.Enabled != nil:
		return cty.NullVal(cty.DynamicPseudoType)
	default:
		return cty.DynamicVal
	}
}

// unknownModule returns the value of a module call during validation: the names of the outputs
// are known, but not their values. The outputs are marked only in Terraform, and only if the
// call has neither count nor for_each.
func (s *scope) unknownModule(call *configs.ModuleCall, outputs map[string]*configs.Output) cty.Value {
	types, marked := map[string]cty.Type{}, map[string]cty.Value{}
	for name, o := range outputs {
		types[name], marked[name] = cty.DynamicPseudoType, withMarks(cty.DynamicVal, o.Sensitive, o.Ephemeral)
	}
	one := cty.Object(types)
	switch {
	case call.Count != nil:
		return cty.UnknownVal(cty.List(one))
	case call.ForEach != nil:
		return cty.UnknownVal(cty.Map(one))
	case s.options.Flavor == Terraform:
		return cty.ObjectVal(marked)
	default:
		return cty.UnknownVal(one)
	}
}

func (s *scope) pathValue(name string) cty.Value {
	switch name {
	case "module":
		return cty.StringVal(filepath.ToSlash(s.config.Module.Dir))
	case "root":
		return cty.StringVal(filepath.ToSlash(s.walk.config.Module.Dir))
	default:
		dir, err := filepath.Abs(s.config.Base)
		if err != nil {
			return cty.UnknownVal(cty.String)
		}
		return cty.StringVal(filepath.ToSlash(dir))
	}
}

func moduleText(path addrs.Module) string {
	if path.IsRoot() {
		return "the root module"
	}
	return path.String()
}

func undeclared(ref lang.Reference, what, detail string) *hcl.Diagnostic {
	return invalidHere(ref, "Reference to undeclared "+what, detail)
}

func invalidHere(ref lang.Reference, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: ref.Range.Ptr()}
}

// errorAt returns an error about a source range in the configuration.
func errorAt(where hcl.Range, summary, detail string) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Append(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &where})
}

// refSet holds the references of a piece of configuration. They are the same in every
// walk and for every instance, and finding them costs as much as evaluating
// the configuration.
type refSet struct {
	refs     []lang.Reference
	problems hcl.Diagnostics
	// functions are the provider functions that the configuration calls. calls is set if
	// it may call any function.
	functions []string
	calls     bool
}

// refCache caches the references of bodies in native syntax for the life of the engine.
type refCache struct{ m sync.Map }

type refKey struct {
	body   *hclsyntax.Body
	schema *configschema.Block
}

func (r *refCache) of(body hcl.Body, schema *configschema.Block) *refSet {
	native, ok := body.(*hclsyntax.Body)
	if !ok {
		return refsInBody(body, schema)
	}
	key := refKey{native, schema}
	if found, ok := r.m.Load(key); ok {
		return found.(*refSet) //nolint:forcetypeassert // all values have this type
	}
	found := refsInBody(body, schema)
	r.m.Store(key, found)
	return found
}

func refsInBody(body hcl.Body, schema *configschema.Block) *refSet {
	refs, problems := lang.ReferencesInBody(body, schema)
	return &refSet{refs: refs, problems: problems, functions: lang.ProviderFunctionsInBody(body), calls: mayCall(body)}
}

func refsInExpr(expr hcl.Expression) *refSet {
	refs, problems := lang.ReferencesInExpr(expr)
	return &refSet{refs: refs, problems: problems, functions: lang.ProviderFunctionsInExpr(expr), calls: mayCall(expr)}
}

// mayCall reports whether there may be a function call. False means that there is certainly none.
func mayCall(of any) bool {
	node, ok := of.(hclsyntax.Node)
	if !ok {
		return true
	}
	found := false
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics { // the visitor returns no diagnostics
		if _, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			found = true
		}
		return nil
	})
	return found
}

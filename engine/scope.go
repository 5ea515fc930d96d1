package engine

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// scope is what expressions see in one place: a module instance, and inside of
// a block its repetition and perhaps itself.
type scope struct {
	*walk
	module addrs.ModuleInstance
	config *configs.Config
	rep    repetition
	// self is what "self" means; cty.NilVal where it means nothing.
	self cty.Value
}

func (w *walk) scope(module addrs.ModuleInstance, config *configs.Config) *scope {
	return &scope{walk: w, module: module, config: config}
}

// repeated is the scope inside of an instance of a block.
func (s *scope) repeated(r repetition) *scope {
	inner := *s
	inner.rep = r
	return &inner
}

func (s *scope) withSelf(v cty.Value) *scope {
	inner := *s
	inner.self = v
	return &inner
}

// expr evaluates an expression as a value of the type.
func (s *scope) expr(expr hcl.Expression, want cty.Type) (cty.Value, tfdiags.Diagnostics) {
	var diags tfdiags.Diagnostics
	found := readExpr(expr)
	diags = diags.Append(found.problems)
	if diags.HasErrors() {
		return cty.UnknownVal(want), diags
	}
	ctx, missing := s.evalContext(found)
	diags = diags.Append(missing)
	if diags.HasErrors() {
		return cty.UnknownVal(want), diags
	}
	v, said := expr.Value(ctx)
	if said.HasErrors() {
		said = s.explainUnknown(s.config, said, found.functions)
	}
	diags = diags.Append(said)
	if said.HasErrors() {
		return cty.UnknownVal(want), diags
	}
	converted, err := convert.Convert(v, want)
	if err != nil {
		return cty.UnknownVal(want), diags.Append(&hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Incorrect value type", Subject: expr.Range().Ptr(),
			Detail: "Invalid expression value: " + err.Error() + ".",
		})
	}
	return converted, diags
}

// body evaluates what a schema describes.
func (s *scope) body(body hcl.Body, schema *configschema.Block) (cty.Value, tfdiags.Diagnostics) {
	var diags tfdiags.Diagnostics
	found := s.readings.of(body, schema)
	diags = diags.Append(found.problems)
	if diags.HasErrors() {
		return cty.UnknownVal(schema.ImpliedType()), diags
	}
	ctx, missing := s.evalContext(found)
	diags = diags.Append(missing)
	if diags.HasErrors() {
		return cty.UnknownVal(schema.ImpliedType()), diags
	}
	v, said := lang.DecodeBody(lang.ExpandDynamic(body, schema, ctx), schema, ctx)
	if said.HasErrors() {
		said = s.explainUnknown(s.config, said, found.functions)
	}
	return v, diags.Append(said)
}

// evalContext has the values of what is referred to.
func (s *scope) evalContext(found *reading) (*hcl.EvalContext, tfdiags.Diagnostics) {
	var diags tfdiags.Diagnostics
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
	undeclared := func(ref lang.Reference, what, detail string) {
		diags = diags.Append(&hcl.Diagnostic{
			Severity: hcl.DiagError, Summary: "Reference to undeclared " + what, Detail: detail, Subject: ref.Range.Ptr(),
		})
	}
	for _, ref := range found.refs {
		switch subject := ref.Subject.(type) {
		case addrs.Resource:
			s.putResource(ref, subject, put, undeclared)
		case addrs.ResourceInstance:
			s.putResource(ref, subject.Resource, put, undeclared)
		case addrs.InputVariable:
			v, ok := s.values.get(s.module, kindVariable, subject.Name)
			if !ok {
				if s.config.Module.Variables[subject.Name] == nil {
					undeclared(ref, "input variable", "There is no variable \""+subject.Name+"\" in "+moduleText(s.config.Path)+".")
				}
				v = cty.DynamicVal
			}
			put(v, "var", subject.Name)
		case addrs.LocalValue:
			v, ok := s.values.get(s.module, kindLocal, subject.Name)
			if !ok {
				if s.config.Module.Locals[subject.Name] == nil {
					undeclared(ref, "local value", "There is no local value \""+subject.Name+"\" in "+moduleText(s.config.Path)+".")
				}
				v = cty.DynamicVal
			}
			put(v, "local", subject.Name)
		case addrs.ModuleCall:
			s.putModule(ref, subject.Name, put, undeclared)
		case lang.ModuleCallOutput:
			s.putModule(ref, subject.Call.Name, put, undeclared)
		case lang.PathAttr:
			put(s.pathValue(subject.Name), "path", subject.Name)
		case lang.TerraformAttr:
			put(cty.StringVal("default"), subject.Alias, subject.Name)
		case lang.CountAttr:
			if s.rep.index == cty.NilVal {
				diags = diags.Append(invalidHere(ref, "Reference to \"count\" in non-counted context", "This block is not counted, so there is no count.index: add \"count\" to it, or use something else."))
				continue
			}
			put(s.rep.index, "count", "index")
		case lang.EachAttr:
			if s.rep.key == cty.NilVal {
				diags = diags.Append(invalidHere(ref, "Reference to \"each\" in context without for_each", "This block has no for_each, so there is no each.key and no each.value: add \"for_each\" to it, or use something else."))
				continue
			}
			put(s.rep.key, "each", "key")
			put(s.rep.value, "each", "value")
		case lang.SelfAddr:
			if s.self == cty.NilVal {
				diags = diags.Append(invalidHere(ref, "Invalid \"self\" reference", "There is no object here that \"self\" could mean: there is one in the postconditions of a resource."))
				continue
			}
			put(s.self, "self")
		default:
			diags = diags.Append(invalidHere(ref, "Unsupported reference", "The engine does not know what this refers to."))
		}
	}
	ctx := &hcl.EvalContext{}
	if found.calls {
		ctx = s.functionContext(s.config)
	}
	ctx.Variables = make(map[string]cty.Value, len(tree))
	for name, v := range tree {
		ctx.Variables[name] = objectOf(v)
	}
	return ctx, diags
}

// objectOf turns nested maps into objects.
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

func (s *scope) putResource(ref lang.Reference, r addrs.Resource, put putFunc, undeclared func(lang.Reference, string, string)) {
	if s.config.Module.Resources[r] == nil {
		kind := map[addrs.ResourceMode]string{addrs.ManagedResourceMode: "managed resource", addrs.DataResourceMode: "data resource", addrs.EphemeralResourceMode: "ephemeral resource"}[r.Mode]
		undeclared(ref, "resource", "There is no "+kind+" \""+r.Type+"\" \""+r.Name+"\" in "+moduleText(s.config.Path)+".")
		return
	}
	v := s.objects.whole(r.Absolute(s.module))
	switch r.Mode {
	case addrs.DataResourceMode:
		put(v, "data", r.Type, r.Name)
	case addrs.EphemeralResourceMode:
		put(v, "ephemeral", r.Type, r.Name)
	default:
		put(v, r.Type, r.Name)
		put(v, "resource", r.Type, r.Name)
	}
}

func (s *scope) putModule(ref lang.Reference, name string, put putFunc, undeclared func(lang.Reference, string, string)) {
	child := s.config.Children[name]
	if child == nil {
		undeclared(ref, "module", "There is no module call \""+name+"\" in "+moduleText(s.config.Path)+".")
		return
	}
	put(s.moduleValue(name, child), "module", name)
}

// moduleValue is what module.name is: an object of the outputs, or as many as
// the call has instances.
func (s *scope) moduleValue(name string, child *configs.Config) cty.Value {
	outputs := func(m addrs.ModuleInstance) cty.Value {
		vals := make(map[string]cty.Value, len(child.Module.Outputs))
		for out := range child.Module.Outputs {
			v, ok := s.values.get(m, kindOutput, out)
			if !ok {
				v = cty.DynamicVal
			}
			vals[out] = v
		}
		return cty.ObjectVal(vals)
	}
	call := s.config.Module.ModuleCalls[name]
	if s.op == validating {
		if call.Count != nil || call.ForEach != nil {
			return cty.DynamicVal
		}
		return outputs(s.module.Child(name, addrs.NoKey))
	}
	var (
		list    []cty.Value
		byKey   = map[string]cty.Value{}
		parent  = s.module.String()
		current cty.Value
	)
	for _, inst := range s.expanded.of(child.Path) {
		if inst.addr.Parent().String() != parent {
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
	default:
		return cty.DynamicVal
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
	return strings.Join([]string{"module ", path.String()}, "")
}

func invalidHere(ref lang.Reference, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: ref.Range.Ptr()}
}

// at is one error about a place in configuration.
func at(where hcl.Range, summary, detail string) tfdiags.Diagnostics {
	return tfdiags.Diagnostics{}.Append(&hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &where})
}

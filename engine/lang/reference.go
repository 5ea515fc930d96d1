package lang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/addrs"
)

// Reference is one mention of something in an expression.
type Reference struct {
	Subject Referenceable
	// Remaining is what is taken from the subject's value.
	Remaining hcl.Traversal
	// Range is where the subject is written.
	Range hcl.Range
}

// ParseReference is what a traversal refers to. Whether that exists is for who
// knows the module.
func ParseReference(traversal hcl.Traversal) (Reference, hcl.Diagnostics) {
	p := parser{all: traversal, root: traversal.RootName()}
	switch p.root {
	case "data":
		return p.resource(addrs.DataResourceMode, 1)
	case "ephemeral":
		return p.resource(addrs.EphemeralResourceMode, 1)
	case "resource":
		return p.resource(addrs.ManagedResourceMode, 1)
	case "module":
		return p.module()
	case "self":
		return p.found(SelfAddr{}, 1)
	case "template", "lazy", "arg":
		return p.fail(0, "Reserved symbol name", fmt.Sprintf(
			"The name %q is set aside for the language itself. To mean a resource of a type with this name, begin with \"resource.\".", p.root))
	}
	if named, ok := namedRoots[p.root]; ok {
		return p.named(named)
	}
	return p.resource(addrs.ManagedResourceMode, 0)
}

// namedRoot is a root whose attributes are subjects each.
type namedRoot struct {
	subject func(name string) Referenceable
	// only are the attributes that there are; empty for those that configuration declares.
	only []string
}

var namedRoots = map[string]namedRoot{
	"var":       {subject: func(n string) Referenceable { return addrs.InputVariable{Name: n} }},
	"local":     {subject: func(n string) Referenceable { return addrs.LocalValue{Name: n} }},
	"path":      {func(n string) Referenceable { return PathAttr{n} }, []string{"cwd", "module", "root"}},
	"terraform": {func(n string) Referenceable { return TerraformAttr{n, "terraform"} }, []string{"workspace"}},
	"tofu":      {func(n string) Referenceable { return TerraformAttr{n, "tofu"} }, []string{"workspace"}},
	"count":     {func(n string) Referenceable { return CountAttr{n} }, []string{"index"}},
	"each":      {func(n string) Referenceable { return EachAttr{n} }, []string{"key", "value"}},
}

// parser is a traversal under way.
type parser struct {
	all  hcl.Traversal
	root string
}

// attr is the name at step i, if the step is an attribute.
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

// found is the reference whose subject takes the first n steps.
func (p parser) found(subject Referenceable, n int) (Reference, hcl.Diagnostics) {
	return Reference{Subject: subject, Remaining: p.all[n:], Range: p.all[:n].SourceRange()}, nil
}

// fail is the message about step i, or about the whole where there is no such step.
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
	if len(root.only) > 0 && !slices.Contains(root.only, name) {
		have := make([]string, len(root.only))
		for i, n := range root.only {
			have[i] = p.root + "." + n
		}
		return p.fail(1, fmt.Sprintf("Invalid %q attribute", p.root), fmt.Sprintf(
			"There is no %s.%s, only %s.", p.root, name, strings.Join(have, ", ")))
	}
	return p.found(root.subject(name), 2)
}

// notAnAttribute is the message where the root is not followed by a name.
func (p parser) notAnAttribute() (Reference, hcl.Diagnostics) {
	if len(p.all) == 1 {
		return p.invalid(0, "%q is no value of its own: name one of its attributes, as in %s.NAME.", p.root, p.root)
	}
	return p.invalid(1, "%q has no elements: name one of its attributes, as in %s.NAME.", p.root, p.root)
}

// resource reads TYPE.NAME from step i on, and the key after it.
func (p parser) resource(mode addrs.ResourceMode, i int) (Reference, hcl.Diagnostics) {
	typeName, ok := p.attr(i)
	if !ok {
		return p.invalid(i, "%q is followed by a type and a name, as in %s.TYPE.NAME.", p.root, p.root)
	}
	name, ok := p.attr(i + 1)
	if !ok {
		return p.invalid(i+1, "The resource type %q alone refers to nothing: the name of a resource has to follow.", typeName)
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

// key is the instance key at step i, if there is an index.
func (p parser) key(i int, of string) (addrs.InstanceKey, bool, hcl.Diagnostics) {
	if i >= len(p.all) {
		return addrs.NoKey, false, nil
	}
	step, ok := p.all[i].(hcl.TraverseIndex)
	if !ok {
		return addrs.NoKey, false, nil
	}
	if t := step.Key.Type(); !step.Key.IsKnown() || t != cty.String && t != cty.Number {
		_, diags := p.fail(i, "Invalid index key", fmt.Sprintf("The instances of a %s have numbers or strings as their keys.", of))
		return addrs.NoKey, false, diags
	}
	key, ok := addrs.ParseKey(step.Key)
	if !ok {
		_, diags := p.fail(i, "Invalid index key", fmt.Sprintf("The instances of a %s are counted by whole numbers from 0 on.", of))
		return addrs.NoKey, false, diags
	}
	return key, true, nil
}

// module reads module.CALL, or one output of one instance. An instance as a
// whole refers to the call, its index remains.
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
		return p.invalid(at, "An instance of a module has outputs alone: name one, as in module.%s%s.NAME.", name, addrs.KeyString(key))
	}
	return p.found(ModuleCallOutput{Call: call, Key: key, Name: output}, at+1)
}

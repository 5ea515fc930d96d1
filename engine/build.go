package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/configs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
	"github.com/posixform/terraform-provider-posix/engine/tfdiags"
)

// builder builds the graph of a walk from its configuration: a vertex for each
// declaration, with edges to everything it refers to. The walk decides what the vertex
// of a resource does.
type builder struct {
	*walk
	graph *graph
	diags tfdiags.Diagnostics

	// blocks are the resource blocks by vertex name. createFirst are the vertex names of
	// those with create_before_destroy. applies are the blocks with the data for an apply.
	blocks      map[string]addrs.ConfigResource
	createFirst []string
	applies     []*block
	// instanceGates are the vertices of references to single instances in an apply.
	instanceGates map[*vertex]instanceGate

	// deleted maps each vertex that deletes an object or plans a deletion to the instance.
	deleted map[*vertex]addrs.AbsResourceInstance
	// deletedNeeds maps each vertex that plans a deletion in a destroy to the dependencies of the
	// instance's current object. In OpenTofu, the vertices of deposed objects have none.
	deletedNeeds map[*vertex][]addrs.ConfigResource

	// actions are the action blocks by vertex name. triggered are the planned invocations by the
	// name of the object and of the resource block.
	actions   map[string]*block
	triggered map[string][]*plans.ActionInvocation

	functionCalls []functionCall
	// configured are the vertices that configure providers.
	configured []*vertex
}

// expandName and closeName return the names of vertices that have no address.
func expandName(path addrs.Module) string { return path.String() + " (expand)" }
func closeName(path addrs.Module) string  { return path.String() + " (close)" }

// modulePath is an [addrs.Module] or an [addrs.ModuleInstance].
type modulePath interface {
	IsRoot() bool
	String() string
}

func prefixed[M modulePath](path M, name string) string {
	if path.IsRoot() {
		return name
	}
	return path.String() + "." + name
}

func (b *builder) module(config *configs.Config) {
	m, path := config.Module, config.Path
	var inside []*vertex
	afterExpansion := func(v *vertex) *vertex {
		if !path.IsRoot() {
			b.graph.connect(v, b.graph.add(expandName(path), nil))
		}
		return v
	}
	inModule := func(v *vertex) *vertex {
		inside = append(inside, afterExpansion(v))
		return v
	}
	for _, name := range sortedKeys(m.Variables) {
		variable := m.Variables[name]
		v := inModule(b.graph.add(prefixed(path, "var."+name), func() tfdiags.Diagnostics { return b.evalVariable(config, variable) }))
		b.needsArgument(v, config, name)
		for _, rule := range variable.Validations {
			b.needsRule(v, config, rule)
		}
	}
	for _, name := range sortedKeys(m.Locals) {
		local := m.Locals[name]
		v := inModule(b.graph.add(prefixed(path, "local."+name), func() tfdiags.Diagnostics { return b.evalLocal(config, local) }))
		b.needsExpr(v, config, local.Expr)
	}
	for _, name := range sortedKeys(m.ProviderConfigs) {
		c := m.ProviderConfigs[name]
		addr := addrs.AbsProviderConfig{Module: path, Provider: config.ProviderFor(c.Name), Alias: c.Alias}
		afterExpansion(b.provider(addr, config, c))
	}
	for _, key := range sortedResources(m.Actions) {
		inModule(b.action(config, m.Actions[key]))
	}
	for _, key := range sortedResources(m.Resources) {
		if r := m.Resources[key]; r.InCheck == "" {
			inModule(b.resource(config, r))
		} else {
			afterExpansion(b.resource(config, r))
		}
	}
	for _, name := range sortedKeys(m.ModuleCalls) {
		call := m.ModuleCalls[name]
		child := config.Children[name]
		v := inModule(b.graph.add(expandName(child.Path), func() tfdiags.Diagnostics { return b.expandModule(config, call) }))
		b.needsExpr(v, config, call.Count)
		b.needsExpr(v, config, call.ForEach)
		b.needsExpr(v, config, call.Enabled)
		b.needsTraversals(v, config, call.DependsOn)
		b.module(child)
		inside = append(inside, b.graph.add(closeName(child.Path), nil))
	}
	for _, name := range sortedKeys(m.Outputs) {
		output := m.Outputs[name]
		v := inModule(b.graph.add(prefixed(path, "output."+name), func() tfdiags.Diagnostics { return b.evalOutput(config, output) }))
		b.needsExpr(v, config, output.Expr)
		b.needsTraversals(v, config, output.DependsOn)
		for _, rule := range output.Preconditions {
			b.needsRule(v, config, rule)
		}
	}
	// Check blocks and their data sources wait for all managed objects, so nothing may wait for
	// them: the module as a whole does not include them.
	for _, name := range sortedKeys(m.Checks) {
		check := m.Checks[name]
		v := afterExpansion(b.graph.add(prefixed(path, "check."+name), func() tfdiags.Diagnostics { return b.evalCheck(config, check) }))
		if check.DataResource != nil {
			b.graph.connect(v, b.graph.add(prefixed(path, check.DataResource.Addr.String()), nil))
		}
		for _, rule := range check.Asserts {
			b.needsRule(v, config, rule)
		}
	}
	if !path.IsRoot() {
		end := b.graph.add(closeName(path), nil)
		for _, v := range inside {
			b.graph.connect(end, v)
		}
	}
}

// provider returns the vertex that configures a provider. It adds the vertex if there is none.
func (b *builder) provider(addr addrs.AbsProviderConfig, config *configs.Config, block *configs.ProviderConfig) *vertex {
	if v := b.graph.get(addr.String()); v != nil {
		return v
	}
	v := b.graph.add(addr.String(), func() tfdiags.Diagnostics { return b.configureProvider(addr, config, block) })
	b.configured = append(b.configured, v)
	if block != nil {
		if schema := b.schema(b.ctx, addr.Provider); schema.config != nil {
			b.needsBody(v, config, block.Config, schema.config.Body)
		}
	}
	return v
}

// dropUnusedProviders disables the configuration of providers that nothing uses: their blocks
// are not even evaluated.
func (b *builder) dropUnusedProviders() {
	used := map[*vertex]bool{}
	for _, v := range b.graph.order {
		for n := range v.needs {
			used[n] = true
		}
	}
	for _, v := range b.configured {
		if !used[v] {
			v.run = nil
		}
	}
}

// providerOf returns the provider configuration for a reference in a module, with its
// vertex. If the configuration is not declared, the vertex is nil, and an error is reported.
func (b *builder) providerOf(config *configs.Config, ref addrs.LocalProviderConfig, about string) (addrs.AbsProviderConfig, *vertex) {
	addr, found := config.ResolveProvider(ref)
	if !found {
		b.diags = b.diags.Errorf(about, "Provider configuration not present", "A block in %s refers to the provider configuration %s, which is not declared in this module. Declare the configuration or correct the reference.", moduleText(config.Path), ref)
		return addr, nil
	}
	owner := b.config.Descendant(addr.Module)
	for _, c := range owner.Module.ProviderConfigs {
		if owner.ProviderFor(c.Name) == addr.Provider && c.Alias == addr.Alias {
			return addr, b.provider(addr, owner, c)
		}
	}
	return addr, b.provider(addr, owner, nil)
}

// schemaOf returns the schema of a block, or nil after reporting an error.
func (b *builder) schemaOf(r *configs.Resource, addr addrs.AbsProviderConfig) *typeSchema {
	schema := b.schema(b.ctx, addr.Provider)
	if schema.diags.HasErrors() {
		if !slices.ContainsFunc(b.diags, func(d tfdiags.Diagnostic) bool { return d.Detail == schema.diags[0].Detail }) {
			b.diags = append(b.diags, schema.diags...)
		}
		return nil
	}
	what, summary := "resource type", "Invalid resource type"
	switch r.Addr.Mode {
	case addrs.DataResourceMode:
		what, summary = "data source", "Invalid data source"
	case addrs.EphemeralResourceMode:
		what, summary = "ephemeral resource", "Invalid ephemeral resource"
	case addrs.ListResourceMode:
		what, summary = "list resource", "Invalid list resource"
	case addrs.ActionMode:
		what, summary = "action", "failed to read schema for "+r.Addr.String()
	}
	t := schema.of(r.Addr.Mode)[r.Addr.Type]
	if t == nil {
		b.diags = append(b.diags, errorAt(r.TypeRange, summary, "The provider "+addr.Provider.String()+" does not support "+what+" \""+r.Addr.Type+"\".")...)
	}
	return t
}

func (b *builder) needs(v *vertex, config *configs.Config, refs []lang.Reference, dependsOn bool) {
	for _, ref := range refs {
		if one, ok := ref.Subject.(addrs.ResourceInstance); ok && b.op == applying && one.Resource.Mode != addrs.EphemeralResourceMode {
			b.graph.connect(v, b.instanceGate(config, one))
			continue
		}
		for _, name := range targetNames(config, ref.Subject, dependsOn) {
			b.graph.connect(v, b.graph.add(name, nil))
		}
	}
}

// instanceGate is the instance of a block that a vertex waits for, in all instances of the
// block's module.
type instanceGate struct {
	block string
	key   addrs.InstanceKey
}

// instanceGate returns the vertex that a reference to one instance waits for in an apply:
// the reference does not wait for other instances. Until the steps of the apply are added,
// the vertex waits for the whole block.
func (b *builder) instanceGate(config *configs.Config, one addrs.ResourceInstance) *vertex {
	block := prefixed(config.Path, one.Resource.String())
	v := b.graph.add("("+prefixed(config.Path, one.String())+" is applied)", nil)
	b.graph.connect(v, b.graph.add(block, nil))
	b.instanceGates[v] = instanceGate{block, one.Key}
	return v
}

// targetNames returns the names of the vertices that a reference in a module waits for.
func targetNames(config *configs.Config, subject any, dependsOn bool) []string {
	path := config.Path
	switch subject := subject.(type) {
	case addrs.Resource:
		return []string{prefixed(path, subject.String())}
	case addrs.ResourceInstance:
		return []string{prefixed(path, subject.Resource.String())}
	case addrs.InputVariable:
		return []string{prefixed(path, subject.String())}
	case addrs.LocalValue:
		return []string{prefixed(path, subject.String())}
	case lang.ModuleCallOutput:
		if child := config.Children[subject.Call.Name]; child != nil && !dependsOn {
			return []string{expandName(child.Path), prefixed(child.Path, "output."+subject.Name)}
		}
		return moduleEnd(config, subject.Call.Name)
	case addrs.ModuleCall:
		return moduleEnd(config, subject.Name)
	default:
		return nil
	}
}

// moduleEnd returns the name of the vertex that closes the called module. References to the module
// as a whole wait for this vertex. The result is nil if there is no module call with this name.
func moduleEnd(config *configs.Config, name string) []string {
	if child := config.Children[name]; child != nil {
		return []string{closeName(child.Path)}
	}
	return nil
}

func (b *builder) needsExpr(v *vertex, config *configs.Config, expr hcl.Expression) {
	if expr == nil {
		return
	}
	found := refsInExpr(expr) // errors are reported by the evaluation
	b.needs(v, config, found.refs, false)
	b.needsFunctions(v, config, found.functions)
}

func (b *builder) needsRule(v *vertex, config *configs.Config, rule *configs.CheckRule) {
	b.needsExpr(v, config, rule.Condition)
	b.needsExpr(v, config, rule.ErrorMessage)
}

func (b *builder) needsBody(v *vertex, config *configs.Config, body hcl.Body, schema *configschema.Block) {
	found := b.readings.of(body, schema)
	b.needs(v, config, found.refs, false)
	b.needsFunctions(v, config, found.functions)
}

func (b *builder) needsTraversals(v *vertex, config *configs.Config, traversals []hcl.Traversal) {
	refs, diags := lang.References(traversals)
	b.diags = b.diags.Append(diags)
	b.needs(v, config, refs, true)
}

// needsArgument makes the variable of a child module wait for its argument in the call.
func (b *builder) needsArgument(v *vertex, config *configs.Config, name string) {
	if config.Parent == nil {
		return
	}
	call := config.Parent.Module.ModuleCalls[config.Path[len(config.Path)-1]]
	if argument := call.Arguments[name]; argument != nil {
		b.needsExpr(v, config.Parent, argument.Expr)
	}
}

func sortedResources[V any](m map[addrs.Resource]V) []addrs.Resource {
	return slices.SortedFunc(maps.Keys(m), func(a, b addrs.Resource) int { return cmp.Compare(a.String(), b.String()) })
}

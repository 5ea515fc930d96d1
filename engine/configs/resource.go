package configs

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/posixform/terraform-provider-posix/addrs"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

var resourceSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "provider"}, {Name: "depends_on"}},
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}, {Type: "connection"}, {Type: "provisioner", LabelNames: []string{"type"}},
	},
}

// dataSchema is resourceSchema without the blocks that a provider's schema may define in
// a data block.
var dataSchema = &hcl.BodySchema{
	Attributes: resourceSchema.Attributes,
	Blocks:     []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}},
}

// kind holds the schema of the blocks of a mode, and the terms that messages about them use.
type kind struct {
	block, thing, things string
	duplicate            string
	typeName, name       string // for summaries of errors about invalid labels
	schema               *hcl.BodySchema
	// summaries of errors about arguments and blocks that only managed resources support
	lifecycle, trigger, provisioners string
}

var kinds = map[addrs.ResourceMode]kind{
	addrs.ManagedResourceMode: {
		block: "resource", thing: "resource", things: "resources", duplicate: "resource",
		typeName: "resource type name", name: "resource name", schema: resourceSchema,
	},
	addrs.DataResourceMode: {
		block: "data", thing: "data resource", things: "data sources", duplicate: "data",
		typeName: "data source name", name: "data resource name", schema: dataSchema,
		lifecycle: "Invalid data resource lifecycle argument",
		trigger:   "Invalid data resource lifecycle nested block",
	},
	addrs.EphemeralResourceMode: {
		block: "ephemeral", thing: "ephemeral resource", things: "ephemeral resources", duplicate: "ephemeral resource",
		typeName: "ephemeral resource type name", name: "ephemeral resource name", schema: resourceSchema,
		lifecycle:    "Invalid lifecycle configuration for ephemeral resource",
		trigger:      "Invalid ephemeral resource lifecycle nested block",
		provisioners: "Invalid configuration block for ephemeral resource",
	},
	addrs.ListResourceMode: {
		block: "list", thing: "list", things: "lists", duplicate: "list",
		typeName: "list resource type name", name: "list resource name", schema: listSchema,
	},
	addrs.ActionMode: {
		block: "action", thing: "action", things: "actions", duplicate: "action",
		typeName: "action type name", name: "action name", schema: actionSchema,
	},
}

// resource reads a resource, data or ephemeral block.
func (r *reader) resource(block *hcl.Block, mode addrs.ResourceMode) {
	r.declare(r.resourceBlock(block, mode, ""))
}

func (r *reader) declare(resource *Resource) { r.declareIn(r.m.Resources, resource) }

func (r *reader) declareIn(resources map[addrs.Resource]*Resource, resource *Resource) {
	if prior := resources[resource.Addr]; prior != nil {
		k := kinds[resource.Addr.Mode]
		r.errorf(resource.DeclRange, `Duplicate `+k.duplicate+` "`+resource.Addr.Type+`" configuration`,
			"Another %s %s named %q is declared at %s. Names must be unique, including those in check blocks.",
			resource.Addr.Type, k.thing, resource.Addr.Name, prior.DeclRange)
		return
	}
	resources[resource.Addr] = resource
}

// resourceBlock reads a block of the mode. inCheck is the name of the check block that contains it,
// or "".
func (r *reader) resourceBlock(block *hcl.Block, mode addrs.ResourceMode, inCheck string) *Resource {
	k := kinds[mode]
	content, remain, diags := block.Body.PartialContent(k.schema)
	r.add(diags)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: mode, Type: block.Labels[0], Name: block.Labels[1]},
		InCheck:   inCheck,
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
		DependsOn: r.traversals(content.Attributes["depends_on"]),
	}
	r.name(resource.Addr.Type, block.LabelRanges[0], k.typeName)
	r.name(resource.Addr.Name, block.LabelRanges[1], k.name)
	r.providerArgument(resource, content.Attributes["provider"])
	resource.Config = r.escaped(content, remain)
	enabled := r.resourceBlocks(resource, content.Blocks)
	if inCheck == "" {
		resource.Count, resource.ForEach, resource.Enabled = r.repetition(content.Attributes, enabled, k.things)
	} else {
		r.notInChecks(content.Attributes)
	}
	return resource
}

// providerArgument sets the provider configuration of a block: that of the provider argument attr, or
// the one that the type implies if attr is nil or invalid.
func (r *reader) providerArgument(resource *Resource, attr *hcl.Attribute) {
	resource.ProviderConfigRef = addrs.LocalProviderConfig{LocalName: resource.Addr.ImpliedProvider()}
	if attr == nil {
		return
	}
	resource.hasProvider = true
	if ref, ok := r.providerRef(attr.Expr, "provider"); ok {
		resource.ProviderConfigRef = ref
	}
}

// resourceBlocks reads the blocks that the provider's schema does not define, and returns the
// enabled argument of the lifecycle block, or nil.
func (r *reader) resourceBlocks(resource *Resource, blocks hcl.Blocks) (enabled *hcl.Attribute) {
	k := kinds[resource.Addr.Mode]
	seen := false
	for _, block := range blocks {
		switch {
		case block.Type == "locals":
			r.reserved(block.TypeRange, "block type", k.block, block.Type)
		case block.Type == "lifecycle" && seen:
			r.errorf(block.DefRange, "Duplicate lifecycle block", "This %s already has a lifecycle block.", k.thing)
		case block.Type == "lifecycle":
			if seen = true; resource.InCheck != "" {
				r.errorf(block.DefRange, "Invalid lifecycle block", `A data block in a check cannot have a lifecycle block.`)
			}
			enabled = r.lifecycle(resource, block)
		case block.Type == "_":
		case k.provisioners != "":
			r.errorf(block.DefRange, k.provisioners, "%s blocks are only supported in resource blocks, not for %s.", block.Type, k.things)
		case block.Type == "provisioner":
			r.unsupported(block.DefRange, "the provisioner \""+block.Labels[0]+"\"", "Use a resource instead.")
		default:
			r.unsupported(block.DefRange, "connection blocks", "Provisioners are not supported either. Remove the block.")
		}
	}
	return enabled
}

// notInChecks reports count and for_each in the data source of a check block.
func (r *reader) notInChecks(attrs hcl.Attributes) {
	for _, name := range []string{"count", "for_each"} {
		if attr := attrs[name]; attr != nil {
			r.errorf(attr.NameRange, `Invalid "`+name+`" attribute`, "%q is not supported in a data block of a check.", name)
		}
	}
}

// repetition returns count, for_each and enabled, and adds an error if more than one is set.
// enabled is an argument of the lifecycle block, or nil.
func (r *reader) repetition(attrs hcl.Attributes, enabled *hcl.Attribute, things string) (count, forEach, enabledExpr hcl.Expression) {
	var (
		names []string
		last  hcl.Range
	)
	read := func(name string, attr *hcl.Attribute) hcl.Expression {
		if attr == nil {
			return nil
		}
		names, last = append(names, `"`+name+`"`), attr.NameRange
		return attr.Expr
	}
	count = read("count", attrs["count"])
	enabledExpr = read("enabled", enabled)
	forEach = read("for_each", attrs["for_each"])
	list := strings.Join(names, " and ")
	switch len(names) {
	case 0, 1:
		return count, forEach, enabledExpr
	case 3:
		list = names[0] + ", " + names[1] + ", and " + names[2]
	}
	r.errorf(last, "Invalid combination of "+list, "The %s meta-arguments are mutually exclusive. Use only one of them for %s.", list, things)
	return count, forEach, enabledExpr
}

var lifecycleSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "create_before_destroy"},
		{Name: "prevent_destroy"},
		{Name: "ignore_changes"},
		{Name: "replace_triggered_by"},
		{Name: "enabled"},
		{Name: "destroy"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "precondition"}, {Type: "postcondition"}, {Type: "action_trigger"}},
}

// lifecycle reads the lifecycle block of a resource, data or ephemeral block. It returns the enabled argument,
// which Terraform does not have, or nil.
func (r *reader) lifecycle(resource *Resource, block *hcl.Block) (enabled *hcl.Attribute) {
	content := r.content(block.Body, lifecycleSchema)
	k := kinds[resource.Addr.Mode]
	for _, name := range sortedKeys(content.Attributes) {
		attr := content.Attributes[name]
		switch {
		case r.opts.Terraform && (name == "enabled" || name == "destroy"):
			r.errorf(attr.NameRange, "Unsupported argument", "An argument named %q is not expected here.", name)
		case name == "enabled":
			enabled = attr
		case k.lifecycle != "":
			r.errorf(attr.NameRange, k.lifecycle, "%q is only supported in resource blocks, not for %s.", name, k.things)
		case name == "destroy":
			r.unsupported(attr.Range, "the lifecycle argument \"destroy\"", "Use a removed block to forget objects.")
		}
	}
	if resource.Addr.Mode == addrs.ManagedResourceMode {
		r.managed(&resource.Managed, content.Attributes)
	}
	for _, block := range content.Blocks {
		if block.Type == "action_trigger" {
			r.actionTrigger(resource, block)
			continue
		}
		rule := r.checkRule(block, &resource.Addr)
		switch {
		case rule == nil:
		case block.Type == "precondition":
			resource.Preconditions = append(resource.Preconditions, rule)
		default:
			resource.Postconditions = append(resource.Postconditions, rule)
		}
	}
	return enabled
}

func (r *reader) managed(m *ManagedResource, attrs hcl.Attributes) {
	m.CreateBeforeDestroy = r.boolean(attrs["create_before_destroy"], false)
	if attr := attrs["prevent_destroy"]; attr != nil {
		r.preventDestroy(m, attr)
	}
	if attr := attrs["ignore_changes"]; attr != nil {
		r.ignoreChanges(m, attr)
	}
	r.replaceTriggeredBy(m, attrs["replace_triggered_by"])
}

// preventDestroy reads a constant or, in OpenTofu, an expression that the plan evaluates.
func (r *reader) preventDestroy(m *ManagedResource, attr *hcl.Attribute) {
	if r.opts.Terraform {
		if r.boolean(attr, false) {
			m.PreventDestroy = attr.Expr
		}
		return
	}
	m.PreventDestroy = attr.Expr
	value, diags := attr.Expr.Value(nil)
	if diags.HasErrors() { // it is not a constant
		return
	}
	if _, err := convert.Convert(value, cty.Bool); err != nil {
		r.errorf(attr.Expr.Range(), "Invalid value for prevent_destroy", "The value must be true or false.")
	}
}

func (r *reader) ignoreChanges(m *ManagedResource, attr *hcl.Attribute) {
	if hcl.ExprAsKeyword(attr.Expr) == "all" {
		m.IgnoreAllChanges = true
		return
	}
	for _, expr := range r.elements(attr) {
		if value, diags := expr.Value(nil); !diags.HasErrors() && value.RawEquals(cty.StringVal("*")) {
			r.errorf(expr.Range(), "Invalid ignore_changes wildcard", "To ignore all attributes, use ignore_changes = all, without brackets and quotes.")
			continue
		}
		traversal, diags := hcl.RelTraversalForExpr(r.unquoted(expr))
		r.add(diags)
		if len(traversal) > 0 {
			m.IgnoreChanges = append(m.IgnoreChanges, traversal)
		}
	}
}

// replaceTriggeredBy reads references to resources of the module. Their keys may refer to
// count.index and each.key only.
func (r *reader) replaceTriggeredBy(m *ManagedResource, attr *hcl.Attribute) {
	for _, expr := range r.elements(attr) {
		expr, ok := r.dequoted(expr)
		if !ok {
			continue
		}
		if _, diags := lang.ReferencesInExpr(expr); diags.HasErrors() {
			r.add(diags)
			continue
		}
		resources := 0
		for _, traversal := range expr.Variables() {
			if r.trigger(traversal) {
				resources++
			}
		}
		switch resources {
		case 0:
			r.errorf(expr.Range(), "Invalid replace_triggered_by expression", "This is not a reference to a resource.")
		case 1:
			m.ReplaceTriggeredBy = append(m.ReplaceTriggeredBy, expr)
		default:
			r.errorf(expr.Range(), "Invalid replace_triggered_by expression", "This has references to several resources. Write each as an element of the list.")
		}
	}
}

// trigger reports whether a reference in replace_triggered_by is to a resource. It adds an
// error if the reference is not permitted there.
func (r *reader) trigger(traversal hcl.Traversal) bool {
	rng := traversal.SourceRange()
	attr := ""
	if len(traversal) > 1 {
		if step, ok := traversal[1].(hcl.TraverseAttr); ok {
			attr = step.Name
		}
	}
	switch traversal.RootName() {
	case "each":
		if attr != "key" {
			r.errorf(rng, "Invalid each reference in replace_triggered_by expression", "Only each.key is permitted here.")
		}
	case "count":
		if attr != "index" {
			r.errorf(rng, "Invalid count reference in replace_triggered_by expression", "Only count.index is permitted here.")
		}
	case "var", "local", "module", "path", "terraform", "tofu", "self":
		r.errorf(rng, "Invalid reference in replace_triggered_by expression", "Only resources, optionally with count.index or each.key as the key, can trigger a replacement.")
	default:
		return true
	}
	return false
}

var listSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "provider"}, {Name: "include_resource"}, {Name: "limit"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "config"}},
}

// list reads a list block.
func (r *reader) list(block *hcl.Block) {
	resource, attrs := r.configBlock(block, addrs.ListResourceMode)
	if attrs["provider"] == nil {
		r.errorf(block.DefRange, `Missing "provider" attribute`, "A list block must have a provider argument.")
	}
	if attr := attrs["include_resource"]; attr != nil {
		resource.List.IncludeResource = attr.Expr
	}
	if attr := attrs["limit"]; attr != nil {
		resource.List.Limit = attr.Expr
	}
	r.declare(resource)
}

// configBlock reads a block whose arguments for the provider are in a config block.
func (r *reader) configBlock(block *hcl.Block, mode addrs.ResourceMode) (*Resource, hcl.Attributes) {
	k := kinds[mode]
	content := r.content(block.Body, k.schema)
	resource := &Resource{
		Addr:      addrs.Resource{Mode: mode, Type: block.Labels[0], Name: block.Labels[1]},
		Config:    hcl.EmptyBody(),
		DeclRange: block.DefRange,
		TypeRange: block.LabelRanges[0],
	}
	r.name(resource.Addr.Type, block.LabelRanges[0], k.typeName)
	r.name(resource.Addr.Name, block.LabelRanges[1], k.name)
	resource.Count, resource.ForEach, _ = r.repetition(content.Attributes, nil, k.things)
	r.providerArgument(resource, content.Attributes["provider"])
	for i, inner := range content.Blocks {
		if i > 0 {
			r.errorf(inner.DefRange, "Duplicate config block", "This %s block already has a config block.", k.block)
			break
		}
		resource.Config = inner.Body
	}
	return resource, content.Attributes
}

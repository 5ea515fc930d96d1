package configs

import (
	"path"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

func newModule(dir string, opts Options) *Module {
	return &Module{
		Dir:               dir,
		RequiredProviders: map[string]addrs.Provider{},
		ProviderConfigs:   map[string]*ProviderConfig{},
		ProviderMetas:     map[string]hcl.Body{},
		Variables:         map[string]*Variable{},
		Locals:            map[string]*Local{},
		Outputs:           map[string]*Output{},
		ModuleCalls:       map[string]*ModuleCall{},
		Resources:         map[addrs.Resource]*Resource{},
		Actions:           map[addrs.Resource]*Resource{},
		Checks:            map[string]*Check{},
		opts:              opts,
		explicit:          map[string]bool{},
	}
}

var fileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "terraform"},
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "locals"},
	{Type: "output", LabelNames: []string{"name"}},
	{Type: "module", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
	{Type: "ephemeral", LabelNames: []string{"type", "name"}},
	{Type: "check", LabelNames: []string{"name"}},
	{Type: "import"},
	{Type: "moved"},
	{Type: "removed"},
	{Type: "action", LabelNames: []string{"type", "name"}},
	// This block is in the schema so that it gets a specific error.
	{Type: "language"},
}}

// queryFileSchema has the blocks that a query file may have.
var queryFileSchema = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "variable", LabelNames: []string{"name"}},
	{Type: "locals"},
	{Type: "list", LabelNames: []string{"type", "name"}},
}}

// module reads the files of a directory as one module, with the query files if query is
// set.
func (l *loader) module(dir string, names []string, query bool) (*Module, hcl.Diagnostics) {
	r := &reader{opts: l.opts, m: newModule(dir, l.opts), once: map[string]hcl.Range{}}
	var blocks hcl.Blocks
	for _, name := range configFiles(names, !l.opts.Terraform) {
		file, diags := l.parse(dir, name)
		r.add(diags)
		if isOverride(name) {
			r.unsupported(hcl.Range{Filename: path.Join(dir, name), Start: hcl.InitialPos, End: hcl.InitialPos},
				"override files, such as "+name, "Use the merged blocks instead.")
			continue
		}
		blocks = append(blocks, r.content(file.Body, fileSchema).Blocks...)
	}
	if query {
		for _, name := range queryFiles(names) {
			file, diags := l.parse(dir, name)
			r.add(diags)
			blocks = append(blocks, r.content(file.Body, queryFileSchema).Blocks...)
		}
	}
	// The terraform blocks come first, so that their diagnostics precede those of other blocks.
	for _, block := range blocks {
		if block.Type == "terraform" {
			r.terraform(block)
		}
	}
	for _, block := range blocks {
		r.block(block)
	}
	r.checkActionReferences()
	r.impliedProviders()
	return r.m, r.diags
}

func (r *reader) block(block *hcl.Block) {
	switch block.Type {
	case "provider":
		r.provider(block)
	case "variable":
		r.variable(block)
	case "locals":
		r.locals(block)
	case "output":
		r.output(block)
	case "module":
		r.call(block)
	case "resource":
		r.resource(block, addrs.ManagedResourceMode)
	case "data":
		r.resource(block, addrs.DataResourceMode)
	case "ephemeral":
		r.resource(block, addrs.EphemeralResourceMode)
	case "list":
		r.list(block)
	case "check":
		r.check(block)
	case "import":
		r.importBlock(block)
	case "moved":
		r.moved(block)
	case "removed":
		r.removed(block)
	case "action":
		r.action(block)
	case "language":
		r.unknownBlock(block, !r.opts.Terraform, "Remove it.")
	}
}

// unknownBlock reports a block that only Terraform or only OpenTofu has: as not supported by the
// in-process engine if known is set, and as a block of an unknown type otherwise.
func (r *reader) unknownBlock(block *hcl.Block, known bool, instead string) {
	if known {
		r.unsupported(block.DefRange, block.Type+" blocks", instead)
		return
	}
	r.errorf(block.TypeRange, "Unsupported block type", "Blocks of type %q are not expected here.", block.Type)
}

// locals reads a locals block.
func (r *reader) locals(block *hcl.Block) {
	attrs, diags := block.Body.JustAttributes()
	r.add(diags)
	for _, name := range sortedKeys(attrs) {
		attr := attrs[name]
		if !r.name(name, attr.NameRange, "local value name") {
			continue
		}
		if prior := r.m.Locals[name]; prior != nil {
			r.errorf(attr.NameRange, "Duplicate local value definition", "A local value named %q is already declared at %s. Local values must have unique names.", name, prior.DeclRange)
			continue
		}
		r.m.Locals[name] = &Local{Name: name, Expr: attr.Expr, DeclRange: attr.Range}
	}
}

var outputSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "description"}, {Name: "value", Required: true}, {Name: "depends_on"}, {Name: "sensitive"}, {Name: "ephemeral"}, {Name: "deprecated"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "precondition"}, {Type: "postcondition"}},
}

// output reads an output block.
func (r *reader) output(block *hcl.Block) {
	content := r.content(block.Body, outputSchema)
	o := &Output{
		Name: block.Labels[0], DeclRange: block.DefRange,
		Description: r.text(content.Attributes["description"]),
		Sensitive:   r.boolean(content.Attributes["sensitive"], false),
		Ephemeral:   r.boolean(content.Attributes["ephemeral"], false),
		Deprecated:  r.deprecated(content.Attributes["deprecated"], "attribute"),
		DependsOn:   r.traversals(content.Attributes["depends_on"]),
	}
	r.name(o.Name, block.LabelRanges[0], "output name")
	if attr := content.Attributes["value"]; attr != nil {
		o.Expr = attr.Expr
	}
	for _, block := range content.Blocks {
		if block.Type == "postcondition" {
			r.errorf(block.TypeRange, "Postconditions are not allowed", "Outputs support preconditions only.")
		} else if rule := r.checkRule(block, nil); rule != nil {
			o.Preconditions = append(o.Preconditions, rule)
		}
	}
	if prior := r.m.Outputs[o.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate output definition", "An output named %q is already declared at %s. Outputs must have unique names.", o.Name, prior.DeclRange)
		return
	}
	r.m.Outputs[o.Name] = o
}

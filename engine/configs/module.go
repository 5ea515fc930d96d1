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
	// Known, so that they are refused for what they are.
	{Type: "action", LabelNames: []string{"type", "name"}},
	{Type: "language"},
}}

// module reads the files of a folder into one module.
func (l *loader) module(dir string, names []string) (*Module, hcl.Diagnostics) {
	r := &reader{opts: l.opts, m: newModule(dir, l.opts), once: map[string]hcl.Range{}}
	var blocks hcl.Blocks
	for _, name := range configFiles(names, !l.opts.Terraform) {
		file, diags := l.parse(dir, name)
		r.add(diags)
		if isOverride(name) {
			r.unsupported(hcl.Range{Filename: path.Join(dir, name), Start: hcl.InitialPos, End: hcl.InitialPos},
				"override files, such as "+name, "Write the blocks as they are after merging.")
			continue
		}
		blocks = append(blocks, r.content(file.Body, fileSchema).Blocks...)
	}
	// What names mean comes first: the blocks below depend on it.
	for _, block := range blocks {
		if block.Type == "terraform" {
			r.terraform(block)
		}
	}
	for _, block := range blocks {
		r.block(block)
	}
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
	case "check":
		r.check(block)
	case "import":
		r.importBlock(block)
	case "moved":
		r.moved(block)
	case "removed":
		r.removed(block)
	case "action":
		r.unknownBlock(block, r.opts.Terraform, "Actions are not run: let a resource do it.")
	case "language":
		r.unknownBlock(block, !r.opts.Terraform, "Leave it out.")
	}
}

// unknownBlock refuses a block that only one of Terraform and OpenTofu has.
func (r *reader) unknownBlock(block *hcl.Block, known bool, instead string) {
	if known {
		r.unsupported(block.DefRange, block.Type+" blocks", instead)
		return
	}
	r.errorf(block.TypeRange, "Unsupported block type", "Blocks of type %q are not expected here.", block.Type)
}

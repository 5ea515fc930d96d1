package configs

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/posixform/terraform-provider-posix/addrs"
)

var callSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{
		{Name: "source", Required: true}, {Name: "version"}, {Name: "count"}, {Name: "for_each"}, {Name: "depends_on"}, {Name: "providers"},
	},
	Blocks: []hcl.BlockHeaderSchema{{Type: "_"}, {Type: "lifecycle"}, {Type: "locals"}, {Type: "provider", LabelNames: []string{"type"}}},
}

// call reads a module block.
func (r *reader) call(block *hcl.Block) {
	content, remain, diags := block.Body.PartialContent(callSchema)
	r.add(diags)
	call := &ModuleCall{Name: block.Labels[0], DeclRange: block.DefRange, DependsOn: r.traversals(content.Attributes["depends_on"])}
	r.name(call.Name, block.LabelRanges[0], "module instance name")
	if attr := content.Attributes["source"]; attr != nil {
		r.callSource(call, attr)
	}
	if attr := content.Attributes["version"]; attr != nil && call.Source != "" {
		r.errorf(call.SourceRange, "Invalid registry module source address", "A module in a local folder has no version: remove the argument \"version\".")
	}
	call.Count, call.ForEach = r.repetition(content.Attributes, "module instances")
	if attr := content.Attributes["providers"]; attr != nil {
		r.callProviders(call, attr)
	}
	for _, block := range content.Blocks {
		switch {
		case block.Type == "_":
		case block.Type == "lifecycle" && !r.opts.Terraform:
			r.unsupported(block.DefRange, "lifecycle blocks of modules", "Write count = condition ? 1 : 0 instead.")
		default:
			r.reserved(block.TypeRange, "block type", "module", block.Type)
		}
	}
	call.Config = r.escaped(content, remain)
	if prior := r.m.ModuleCalls[call.Name]; prior != nil {
		r.errorf(block.DefRange, "Duplicate module call", "There is another call named %q at %s: give this one a name of its own.", call.Name, prior.DeclRange)
		return
	}
	r.m.ModuleCalls[call.Name] = call
}

// callSource accepts folders next to the module, since the engine installs nothing.
func (r *reader) callSource(call *ModuleCall, attr *hcl.Attribute) {
	call.SourceRange = attr.Expr.Range()
	if len(attr.Expr.Variables()) > 0 {
		r.unsupported(call.SourceRange, "variables in a module's source", "Write the folder as a plain string, such as \"./modules/x\".")
		return
	}
	source := r.text(attr)
	switch {
	case source == "." || source == ".." || strings.HasPrefix(source, "./") || strings.HasPrefix(source, "../"):
		call.Source = path.Clean(source)
	case filepath.IsAbs(filepath.FromSlash(source)):
		call.Source = path.Clean(filepath.ToSlash(source))
	case source == "":
		r.errorf(call.SourceRange, "Invalid module source address", "The source of a module is a folder, which begins with \"./\" or \"../\" or is absolute.")
	default:
		r.unsupported(call.SourceRange, "the module source \""+source+"\"", "Only modules in local folders can be called: a source that begins with \"./\" or \"../\", or is absolute.")
	}
}

// callProviders reads the providers argument: from the child's configuration to
// the caller's.
func (r *reader) callProviders(call *ModuleCall, attr *hcl.Attribute) {
	pairs, diags := hcl.ExprMap(attr.Expr)
	r.add(diags)
	call.Providers = make(map[addrs.LocalProviderConfig]addrs.LocalProviderConfig, len(pairs))
	call.passedAt = make(map[addrs.LocalProviderConfig]hcl.Range, len(pairs))
	for _, pair := range pairs {
		key, ok := r.providerRef(pair.Key, "providers")
		if !ok {
			continue
		}
		value, ok := r.providerRef(pair.Value, "providers")
		if !ok {
			continue
		}
		if _, twice := call.Providers[key]; twice {
			r.errorf(pair.Key.Range(), "Duplicate provider address", "The configuration %s was already passed to the module.", key)
			continue
		}
		call.Providers[key], call.passedAt[key] = value, pair.Key.Range()
	}
}

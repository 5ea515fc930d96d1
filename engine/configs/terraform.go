package configs

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

var terraformSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "required_version"}, {Name: "experiments"}, {Name: "language"}},
	Blocks: []hcl.BlockHeaderSchema{
		{Type: "required_providers"},
		{Type: "provider_meta", LabelNames: []string{"provider"}},
		{Type: "backend", LabelNames: []string{"type"}},
		{Type: "cloud"},
		{Type: "encryption"},
	},
}

// terraform reads a terraform block.
func (r *reader) terraform(block *hcl.Block) {
	content := r.content(block.Body, terraformSchema)
	if attr := content.Attributes["required_version"]; attr != nil {
		r.requiredVersion(attr)
	}
	// OpenTofu has no experiments and passes over what asks for some.
	if attr := content.Attributes["experiments"]; attr != nil && r.opts.Terraform {
		r.unsupported(attr.Range, "experiments", "Leave the argument out.")
	}
	for _, block := range content.Blocks {
		switch block.Type {
		case "required_providers":
			r.requiredProviders(block)
		case "provider_meta":
			r.providerMeta(block)
		case "backend":
			r.single(block, "Duplicate backend configuration", "backend configuration")
			// Where state is kept changes no verdict, as long as it is kept as it is.
			if block.Labels[0] != "local" {
				r.unsupported(block.DefRange, "the backend \""+block.Labels[0]+"\"", "State is kept by the test: leave the block out.")
			}
		default: // cloud, encryption
			r.unsupported(block.DefRange, block.Type+" blocks", "State is kept by the test: leave the block out.")
		}
	}
}

func (r *reader) providerMeta(block *hcl.Block) {
	name := block.Labels[0]
	if _, twice := r.m.ProviderMetas[name]; twice {
		r.errorf(block.DefRange, "Duplicate provider_meta block", "There is a provider_meta block for %q in this module already: put both into one.", name)
		return
	}
	r.m.ProviderMetas[name] = block.Body
}

// single reports whether a block is the first of its type, and says so where it
// is not.
func (r *reader) single(block *hcl.Block, summary, what string) bool {
	if prior, twice := r.once[block.Type]; twice {
		r.errorf(block.DefRange, summary, "There is another %s at %s: leave one of them out.", what, prior)
		return false
	}
	r.once[block.Type] = block.DefRange
	return true
}

// requiredVersion compares what a module needs with the version that the engine
// plays, if it plays one. OpenTofu believes files of its own alone: in others
// the number is one of Terraform's.
func (r *reader) requiredVersion(attr *hcl.Attribute) {
	own := strings.HasSuffix(attr.Range.Filename, ".tofu") || strings.HasSuffix(attr.Range.Filename, ".tofu.json")
	if !r.opts.Terraform && !own {
		return
	}
	need, ok := r.versionConstraint(attr.Expr)
	if !ok || r.opts.Version == "" {
		return
	}
	if met, err := need.allow(r.opts.Version); err != nil || met {
		return
	}
	summary := "Incompatible module"
	if r.opts.Terraform {
		summary = "Unsupported Terraform Core version"
	}
	r.errorf(attr.Expr.Range(), summary, "This module requires version %s of %s, and the engine plays version %s.", need, r.opts.product(), r.opts.Version)
}

package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/engine/lang"
)

// writer writes a configuration as HCL that people can paste.
type writer struct {
	s *subject
	// open writes sensitive values, too: for an engine, and not for people.
	open bool
	// unknown are places whose values come from another resource, which is
	// written as well.
	unknown []cty.Path
	sources []*hclwrite.Block
}

// render is the configuration as a resource block of the label, and the blocks
// that its unknown values come from.
func (w *writer) render(label string, config cty.Value) string {
	file := hclwrite.NewEmptyFile()
	block := file.Body().AppendNewBlock("resource", []string{w.s.name, label})
	lang.Writer{Instead: w.instead}.Body(block.Body(), w.s.body, nil, config)
	for _, source := range w.sources {
		file.Body().AppendNewline()
		file.Body().AppendBlock(source)
	}
	return string(hclwrite.Format(file.Bytes()))
}

// instead writes what people may not see, and what comes from elsewhere.
func (w *writer) instead(attr *configschema.Attribute, at cty.Path, v cty.Value) (hclwrite.Tokens, bool) {
	switch {
	case (attr.Sensitive || attr.WriteOnly) && !w.open:
		return hclwrite.TokensForValue(cty.StringVal("(sensitive)")), true
	case slices.ContainsFunc(w.unknown, at.Equals):
		return w.elsewhere(at, v), true
	default:
		return nil, false
	}
}

// elsewhere makes a resource whose output is the value, which is then not known
// before an apply.
func (w *writer) elsewhere(at cty.Path, v cty.Value) hclwrite.Tokens {
	label := fmt.Sprintf("%s_%d", strings.ReplaceAll(nameOf(at), ".", "_"), len(w.sources))
	source := hclwrite.NewBlock("resource", []string{"terraform_data", label})
	source.Body().SetAttributeValue("input", v)
	w.sources = append(w.sources, source)
	return hclwrite.TokensForTraversal(hcl.Traversal{
		hcl.TraverseRoot{Name: "terraform_data"}, hcl.TraverseAttr{Name: label}, hcl.TraverseAttr{Name: "output"},
	})
}

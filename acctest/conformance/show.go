package conformance

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/posixform/terraform-provider-posix/configschema"
	"github.com/posixform/terraform-provider-posix/diag"
	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/objchange"
)

// difference is a path at which two values differ.
type difference struct {
	path cty.Path
	// want and got are rendered for reports.
	want, got string
}

// differences returns the innermost paths at which got differs from want. Sets are
// compared as a whole, because their elements have no paths.
func (s *subject) differences(want, got cty.Value) []difference {
	return s.diff(nil, nil, want, got)
}

func (s *subject) diff(found []difference, path cty.Path, want, got cty.Value) []difference {
	if objchange.Equal(want, got) {
		return found
	}
	if inner := innerPlaces(want, got); inner != nil {
		for _, step := range inner {
			at := append(path.Copy(), step)
			found = s.diff(found, at, valueAt(want, cty.Path{step}), valueAt(got, cty.Path{step}))
		}
		return found
	}
	return append(found, difference{path, s.show(path, want), s.show(path, got)})
}

// innerPlaces returns the path steps into two values of the same shape, or nil.
func innerPlaces(a, b cty.Value) []cty.PathStep {
	if a == cty.NilVal || b == cty.NilVal || a.IsNull() || b.IsNull() || !a.IsKnown() || !b.IsKnown() {
		return nil
	}
	ty := a.Type()
	var steps []cty.PathStep
	switch {
	case ty.IsObjectType() && b.Type().IsObjectType():
		if !slices.Equal(slices.Sorted(maps.Keys(ty.AttributeTypes())), slices.Sorted(maps.Keys(b.Type().AttributeTypes()))) {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			steps = append(steps, cty.GetAttrStep{Name: name})
		}
	case ty.IsListType() && b.Type().IsListType(), ty.IsTupleType() && b.Type().IsTupleType(), ty.IsMapType() && b.Type().IsMapType():
		if a.LengthInt() != b.LengthInt() {
			return nil
		}
		for key := range a.Elements() {
			if b.HasIndex(key).False() {
				return nil
			}
			steps = append(steps, cty.IndexStep{Key: key})
		}
	}
	return steps
}

// maxShown is the maximum number of characters of a value that are rendered.
const maxShown = 120

// show renders the value at path. A known value that is not null is redacted if it is
// sensitive or write-only.
func (s *subject) show(path cty.Path, v cty.Value) string {
	if v != cty.NilVal && !v.IsNull() && v.IsKnown() && s.hidden(path) {
		return "(sensitive)"
	}
	return showValue(v)
}

func showValue(v cty.Value) string {
	switch {
	case v == cty.NilVal:
		return "nothing"
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return "(known after apply)"
	case !v.IsWhollyKnown():
		return "a value with parts that are known after apply"
	}
	var text string
	if v.Type() == cty.String {
		text = strconv.Quote(v.AsString())
	} else if raw, err := (ctyjson.SimpleJSONValue{Value: v}).MarshalJSON(); err == nil {
		text = string(raw)
	}
	if runes := []rune(text); len(runes) > maxShown {
		text = fmt.Sprintf("%s… (%d characters)", string(runes[:maxShown]), len(runes))
	}
	return text
}

// hidden reports whether the value at path is sensitive or write-only.
func (s *subject) hidden(path cty.Path) bool {
	if s.body.SensitiveAt(path) {
		return true
	}
	for i := range path {
		if attr := s.body.EnclosingAttribute(path[:i+1]); attr != nil && attr.WriteOnly {
			return true
		}
	}
	return false
}

// withPath returns the text of an error with its path, up to the first sensitive or
// write-only attribute.
func (s *subject) withPath(err error) string {
	at, ok := errors.AsType[cty.PathError](err)
	if !ok || len(at.Path) == 0 {
		return err.Error()
	}
	path := at.Path
	for i := range path {
		if attr := s.body.EnclosingAttribute(path[:i+1]); attr != nil && (attr.Sensitive || attr.WriteOnly) {
			path = path[:i+1]
			break
		}
	}
	return diag.FormatPath(path) + ": " + err.Error()
}

// writer renders configurations as HCL.
type writer struct {
	s *subject
	// showSensitive means that sensitive and write-only values are rendered, for an engine.
	showSensitive bool
	// unknown are the paths of values that come from another resource, which is
	// rendered too.
	unknown []cty.Path
	sources []*hclwrite.Block
}

// render returns a resource block, and the blocks that its unknown values come from.
func (w *writer) render(label string, config cty.Value) string {
	file := hclwrite.NewEmptyFile()
	block := file.Body().AppendNewBlock("resource", []string{w.s.name, label})
	lang.Writer{Instead: w.replacement}.Body(block.Body(), w.s.body, nil, config)
	for _, source := range w.sources {
		file.Body().AppendNewline()
		file.Body().AppendBlock(source)
	}
	return string(hclwrite.Format(file.Bytes()))
}

// replacement returns the tokens for values that are not rendered as they are:
// "(sensitive)" for sensitive and write-only ones, unless showSensitive is set, and a
// reference to another resource for unknown ones. It returns false for other values.
func (w *writer) replacement(attr *configschema.Attribute, at cty.Path, v cty.Value) (hclwrite.Tokens, bool) {
	switch {
	case (attr.Sensitive || attr.WriteOnly) && !w.showSensitive:
		return hclwrite.TokensForValue(cty.StringVal("(sensitive)")), true
	case slices.ContainsFunc(w.unknown, at.Equals):
		return w.fromOtherResource(at, v), true
	default:
		return nil, false
	}
}

// fromOtherResource adds a resource whose output is the value, and returns a reference to
// that output. The value is then unknown until the apply.
func (w *writer) fromOtherResource(at cty.Path, v cty.Value) hclwrite.Tokens {
	label := fmt.Sprintf("%s_%d", strings.ReplaceAll(nameOf(at), ".", "_"), len(w.sources))
	source := hclwrite.NewBlock("resource", []string{"terraform_data", label})
	source.Body().SetAttributeValue("input", v)
	w.sources = append(w.sources, source)
	return hclwrite.TokensForTraversal(hcl.Traversal{
		hcl.TraverseRoot{Name: "terraform_data"}, hcl.TraverseAttr{Name: label}, hcl.TraverseAttr{Name: "output"},
	})
}

package runtime

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// placed changes and returns diagnostics about the object of the call. A diagnostic about a nested
// attribute gets the path in its text, because clients show only the location of the
// top-level attribute; in a pathless call, the path of every diagnostic is only in its text. A path
// that the schema does not have is a bug in the provider, and clients show no location for it:
// the path is shortened to the part that exists, and another diagnostic with the same severity
// reports the bug.
func (c *call) placed(diags diag.Diagnostics) diag.Diagnostics {
	var wrong diag.Diagnostics
	for i := range diags {
		m := &diags[i]
		if len(m.Path) == 0 {
			continue
		}
		exists, shown := len(m.Path), m.Path
		if c.form != nil {
			exists, shown = c.form.follow(m.Path)
		}
		text, top := diag.FormatPath(shown), len(m.Path) == 1
		if exists < len(m.Path) {
			wrong = append(wrong, diag.Diagnostic{
				Severity: m.Severity, Summary: "Provider bug: unknown attribute",
				Detail: fmt.Sprintf("%s reports an error or warning about %q, which is not one of its attributes; please report this.", c.typeName, text),
			})
			m.Path = m.Path[:exists:exists]
		} else if top && !c.pathless {
			continue
		}
		if c.pathless {
			m.Path = nil
		}
		switch {
		case m.Detail == "":
			m.Detail = text
		case top && !strings.Contains(": "+m.Detail, ": "+text+": "), // a short name may be a word of the text
			!top && !strings.Contains(m.Detail, text):
			m.Detail = text + ": " + m.Detail
		}
	}
	return append(diags, wrong...)
}

// follow returns how many steps of a path exist in the schema, and the path for messages,
// without the keys of maps in attributes that are sensitive or write-only, or that the schema
// does not have.
func (f *form) follow(path cty.Path) (exists int, shown cty.Path) {
	shown = path.Copy()
	var n *node // to which the steps so far lead; nil for the whole object
	secret := false
	for i, step := range path {
		switch {
		case exists < i:
		case n != nil && (n.kind == kindDynamic || n.kind == kindAny):
			exists++ // a value of any type
		default:
			next, sensitive := f.inside(n, step)
			secret = secret || sensitive || next == nil
			if next != nil {
				n = next.innermost()
				exists++
			}
		}
		if s, ok := step.(cty.IndexStep); ok && secret && s.Key.Type() == cty.String {
			shown[i] = cty.IndexStep{}
		}
	}
	return exists, shown
}

// inside returns the node to which a step leads from n, or from the whole object if n is nil,
// and whether the step leads to a sensitive or write-only attribute. The node is nil if the step
// leads to none.
func (f *form) inside(n *node, step cty.PathStep) (next *node, sensitive bool) {
	switch s := step.(type) {
	case cty.GetAttrStep:
		if n == nil {
			if a := f.byName[s.Name]; a != nil {
				return a.node, a.sensitive() || a.writeOnly()
			}
			return nil, false
		}
		for _, inner := range n.fields {
			if inner.name == s.Name {
				return inner.node, inner.sensitive || inner.writeOnly
			}
		}
	case cty.IndexStep:
		switch {
		case n == nil:
		case n.kind == kindSet, n.kind == kindList && s.Key.Type() == cty.Number, n.kind == kindMap && s.Key.Type() == cty.String:
			return n.elem, false
		}
	}
	return nil, false
}

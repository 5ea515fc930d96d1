package tfdiags

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcled"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"
)

// snippet writes the place that m is about: the file, the block, the lines, and
// what the names in the expression stand for.
func (m Diagnostic) snippet(b *strings.Builder, sources Sources) {
	if m.Subject == nil {
		return
	}
	subject := *m.Subject
	fmt.Fprintf(b, "  on %s line %d", subject.Filename, subject.Start.Line)
	var source []byte
	if sources != nil {
		source = sources(subject.Filename)
	}
	if source == nil {
		b.WriteString(":\n")
		if sources != nil {
			b.WriteString("  (source code not available)\n")
		}
		return
	}
	if in := blockAt(source, subject); in != "" {
		b.WriteString(", in " + in)
	}
	b.WriteString(":\n")

	shown := subject
	if m.said != nil && m.said.Context != nil {
		shown = hcl.RangeOver(subject, *m.said.Context)
	}
	if shown.Empty() {
		shown.End.Byte++
		shown.End.Column++
	}
	lines := hcl.NewRangeScanner(source, subject.Filename, bufio.ScanLines)
	for lines.Scan() {
		if at := lines.Range(); at.Overlaps(shown) {
			fmt.Fprintf(b, "%4d: %s\n", at.Start.Line, bytes.TrimSuffix(lines.Bytes(), []byte{'\r'}))
		}
	}
	if values := m.values(); len(values) > 0 {
		b.WriteString("    ├────────────────\n")
		for _, v := range values {
			b.WriteString("    │ " + v + "\n")
		}
	}
}

// blockAt is the header of the block that the range is inside of, or "".
func blockAt(source []byte, at hcl.Range) string {
	var file *hcl.File
	if strings.HasSuffix(at.Filename, ".json") {
		file, _ = json.Parse(source, at.Filename)
	} else {
		file, _ = hclsyntax.ParseConfig(source, at.Filename, hcl.InitialPos)
	}
	if file == nil || file.Body == nil {
		return ""
	}
	// The first byte of a block is not inside of it.
	return hcled.ContextString(file, at.Start.Byte-1)
}

// values says which function was called and what the names in the failed
// expression stand for. What is unknown or marked is left out: it may be secret.
func (m Diagnostic) values() []string {
	if m.said == nil || m.said.Expression == nil || m.said.EvalContext == nil {
		return nil
	}
	known := map[string]string{}
	for _, traversal := range m.said.Expression.Variables() {
		// Of a.b.c, the longest part that has a value is what people want to see.
		for ; len(traversal) > 0; traversal = traversal[:len(traversal)-1] {
			v, diags := traversal.TraverseAbs(m.said.EvalContext)
			if diags.HasErrors() {
				continue
			}
			// The root of an address, like "local", is no value by itself.
			if root := traversal.IsRelative() || len(traversal) == 1 && v.Type().IsObjectType(); !root && v.IsKnown() && !v.ContainsMarked() {
				known[traversalText(traversal)] = valueText(v)
			}
			break
		}
	}
	var out []string
	if call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](m.said); ok && call.CalledFunctionName() != "" {
		out = append(out, "while calling "+signature(call.CalledFunctionName(), m.said.EvalContext))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out = append(out, name+" is "+known[name])
	}
	return out
}

// signature is a function with the names of its parameters.
func signature(name string, ctx *hcl.EvalContext) string {
	for ; ctx != nil; ctx = ctx.Parent() {
		f, ok := ctx.Functions[name]
		if !ok {
			continue
		}
		var names []string
		for _, p := range f.Params() {
			names = append(names, p.Name)
		}
		if rest := f.VarParam(); rest != nil {
			names = append(names, rest.Name+"...")
		}
		return name + "(" + strings.Join(names, ", ") + ")"
	}
	return name + "()"
}

// traversalText is a traversal as it is written.
func traversalText(t hcl.Traversal) string {
	var b strings.Builder
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			b.WriteString("[" + scalarText(step.Key) + "]")
		}
	}
	return b.String()
}

// valueText describes a value in one line.
func valueText(v cty.Value) string {
	ty := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case ty.IsPrimitiveType():
		return scalarText(v)
	case ty.IsCollectionType():
		kind := ty.FriendlyName()
		switch n := v.LengthInt(); n {
		case 0:
			return "empty " + kind
		case 1:
			return kind + " with 1 element"
		default:
			return kind + " with " + strconv.Itoa(n) + " elements"
		}
	case ty.IsTupleType():
		if ty.Length() == 1 {
			return "tuple with 1 element"
		}
		return "tuple with " + strconv.Itoa(ty.Length()) + " elements"
	case ty.IsObjectType():
		switch attributes := ty.AttributeTypes(); len(attributes) {
		case 0:
			return "object with no attributes"
		case 1:
			return "object with 1 attribute " + strconv.Quote(slices.Collect(maps.Keys(attributes))[0])
		default:
			return "object with " + strconv.Itoa(len(attributes)) + " attributes"
		}
	default:
		return ty.FriendlyName()
	}
}

func scalarText(v cty.Value) string {
	switch v.Type() {
	case cty.String:
		return strconv.Quote(v.AsString())
	case cty.Number:
		return v.AsBigFloat().Text('f', -1)
	case cty.Bool:
		return strconv.FormatBool(v.True())
	default:
		return v.Type().FriendlyName()
	}
}

package tfdiags

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hcled"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// lineWidth is the width at which the command wraps lines without a terminal. It does not
// include the last column.
const lineWidth = 77

// Sources returns the content of a configuration file by its name in ranges, or nil. A
// nil Sources has no files.
type Sources func(name string) []byte

// Format returns the text of all diagnostics of the severity as the command prints it
// without a terminal, in the command's order.
func (d Diagnostics) Format(severity diag.Severity, sources Sources) string {
	var b strings.Builder
	for _, m := range d.sorted() {
		if m.Severity == severity {
			m.format(&b, sources)
		}
	}
	return b.String()
}

// Error returns the text of all errors without source lines.
func (d Diagnostics) Error() string { return d.Format(diag.Error, nil) }

// Format returns the text of one diagnostic as the command prints it without a
// terminal.
func (m Diagnostic) Format(sources Sources) string {
	var b strings.Builder
	m.format(&b, sources)
	return b.String()
}

// sorted returns d in the order of the command: first diagnostics without a source
// range, then by source range. The sort is stable.
func (d Diagnostics) sorted() Diagnostics {
	out := slices.Clone(d)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		switch {
		case a.Subject == nil && b.Subject == nil:
			return 0
		case a.Subject == nil:
			return -1
		case b.Subject == nil:
			return 1
		}
		return cmp.Or(
			cmp.Compare(a.Subject.Filename, b.Subject.Filename),
			cmp.Compare(a.Subject.Start.Byte, b.Subject.Start.Byte),
			cmp.Compare(a.Subject.End.Byte, b.Subject.End.Byte),
		)
	})
	return out
}

func (m Diagnostic) format(b *strings.Builder, sources Sources) {
	title := "Error"
	if m.Severity == diag.Warning {
		title = "Warning"
	}
	b.WriteString("\n" + title + ": " + m.Summary + "\n\n")
	if m.Address != "" {
		b.WriteString("  with " + m.Address + ",\n")
	}
	m.snippet(b, sources)
	if m.Address != "" || m.Subject != nil {
		b.WriteByte('\n')
	}
	if m.Detail == "" {
		return
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(m.Detail, "\n"), "\n") {
		// Indented lines are formatted already.
		if !strings.HasPrefix(line, " ") {
			line = wrap(line, lineWidth)
		}
		b.WriteString(line + "\n")
	}
}

// wrap breaks a line at white space into parts of at most width characters. A word that is
// not shorter than width stays on its line.
func wrap(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	var b strings.Builder
	column := 0
	for line != "" {
		word := strings.TrimLeftFunc(line, breakable)
		space := line[:len(line)-len(word)]
		if end := strings.IndexFunc(word, breakable); end >= 0 {
			word = word[:end]
		}
		line = line[len(space)+len(word):]
		spaces, letters := utf8.RuneCountInString(space), utf8.RuneCountInString(word)
		if column+spaces+letters > width && letters < width {
			b.WriteByte('\n')
			column, space, spaces = 0, "", 0
		}
		b.WriteString(space + word)
		column += spaces + letters
	}
	return b.String()
}

// breakable reports whether a line may be broken at r.
func breakable(r rune) bool { return unicode.IsSpace(r) && r != '\u00a0' }

// snippet writes the source of m: the file, the block, the source lines, and the values
// in the expression.
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
	if m.source != nil && m.source.Context != nil {
		shown = hcl.RangeOver(subject, *m.source.Context)
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

// blockAt returns the header of the block that contains the range, or "".
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

// values returns the called function and the values of the names in the failed
// expression. It omits unknown values, and marked ones, which may be sensitive.
func (m Diagnostic) values() []string {
	if m.source == nil || m.source.Expression == nil || m.source.EvalContext == nil {
		return nil
	}
	known := map[string]string{}
	for _, traversal := range m.source.Expression.Variables() {
		// Of a.b.c, show the longest part that has a value.
		for ; len(traversal) > 0; traversal = traversal[:len(traversal)-1] {
			v, diags := traversal.TraverseAbs(m.source.EvalContext)
			if diags.HasErrors() {
				continue
			}
			// The root of an address, like "local", is not a value by itself.
			if root := traversal.IsRelative() || len(traversal) == 1 && v.Type().IsObjectType(); !root && v.IsKnown() && !v.ContainsMarked() {
				known[traversalText(traversal)] = valueText(v)
			}
			break
		}
	}
	var out []string
	if call, ok := hcl.DiagnosticExtra[hclsyntax.FunctionCallDiagExtra](m.source); ok && call.CalledFunctionName() != "" {
		out = append(out, "while calling "+signature(call.CalledFunctionName(), m.source.EvalContext))
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out = append(out, name+" is "+known[name])
	}
	return out
}

// signature returns the name of a function with those of its parameters in parentheses.
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

// traversalText returns a traversal in source form.
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

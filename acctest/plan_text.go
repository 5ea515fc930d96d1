package acctest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/engine/lang"
	"github.com/posixform/terraform-provider-posix/engine/plans"
)

// planText returns a plan as text: a line for each object and output that changes, and a
// line for each attribute that changes.
func (s *session) planText(p *plans.Plan) string {
	schemas := s.schemas()
	var b strings.Builder
	for _, c := range p.Changes {
		if c.Action == plans.NoOp {
			continue
		}
		fmt.Fprintf(&b, "  %c %s: %s", c.Action, c.Addr, c.Action)
		if c.DeposedKey != "" {
			fmt.Fprintf(&b, " (deposed %s)", c.DeposedKey)
		}
		if c.Reason != plans.NoReason {
			fmt.Fprintf(&b, ", %s", c.Reason)
		}
		b.WriteByte('\n')
		before, after := schemas.Marked(c)
		differences(&b, before, after)
	}
	for _, o := range p.Outputs {
		if o.Action != plans.NoOp {
			fmt.Fprintf(&b, "  %c output %s: %s -> %s\n", o.Action, o.Name, valueText(o.Before, o.Sensitive), valueText(o.After, o.Sensitive))
		}
	}
	return b.String()
}

// differences writes the attributes that differ between two objects.
func differences(b *strings.Builder, before, after cty.Value) {
	left, right := attributes(before), attributes(after)
	names := slices.AppendSeq(slices.Collect(maps.Keys(left)), maps.Keys(right))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := valueText(left[name], false), valueText(right[name], false)
		if was != is {
			fmt.Fprintf(b, "      %s: %s -> %s\n", name, was, is)
		} else if l, r := left[name], right[name]; l != cty.NilVal && r != cty.NilVal && !unmarked(l).RawEquals(unmarked(r)) {
			fmt.Fprintf(b, "      %s: (changes)\n", name)
		}
	}
}

func attributes(v cty.Value) map[string]cty.Value {
	if v == cty.NilVal {
		return nil
	}
	if v, _ = v.Unmark(); v.IsNull() || !v.IsKnown() {
		return nil
	}
	return v.AsValueMap()
}

func unmarked(v cty.Value) cty.Value {
	v, _ = v.UnmarkDeep()
	return v
}

// valueText returns a value as one line of text. Sensitive values are redacted.
func valueText(v cty.Value, sensitive bool) string {
	switch {
	case v == cty.NilVal:
		return "null"
	case sensitive || v.ContainsMarked() && lang.Carries(v, lang.Sensitive):
		return "(sensitive)"
	}
	v = unmarked(v)
	switch {
	case !v.IsKnown():
		return "(known after apply)"
	case v.IsNull():
		return "null"
	case v.Type() == cty.String:
		return fmt.Sprintf("%q", v.AsString())
	case v.Type() == cty.Bool:
		return fmt.Sprint(v.True())
	case v.Type() == cty.Number:
		return v.AsBigFloat().Text('f', -1)
	default:
		parts := make([]string, 0, v.LengthInt())
		for key, element := range v.Elements() {
			text := valueText(element, false)
			if v.Type().IsMapType() || v.Type().IsObjectType() {
				text = key.AsString() + " = " + text
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
}

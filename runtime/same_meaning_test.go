package runtime_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

type thesaurus struct {
	Words   []Word  `tf:",optional,set"`
	Entries []entry `tf:",optional,set"`
}

type entry struct {
	Word Word
	Use  *string
	ID   int64 `tf:",computed"`
}

// TestEquivalentElementsOfASet checks that the provider may merge equivalent elements:
// the state keeps each of them.
func TestEquivalentElementsOfASet(t *testing.T) {
	t.Parallel()
	w, d := newHolder[*thesaurus](t)
	var given int
	w.complete = func(in *thesaurus) *thesaurus {
		given = len(in.Words)
		out := &thesaurus{Words: lower(in.Words), Entries: slices.Clone(in.Entries)}
		slices.Sort(out.Words)
		out.Words = slices.Compact(out.Words)
		for i := range out.Entries {
			out.Entries[i].Word = lower([]Word{out.Entries[i].Word})[0]
			out.Entries[i].ID = int64(len(out.Entries[i].Word))
		}
		slices.SortFunc(out.Entries, func(a, b entry) int { return slices.Compare([]Word{a.Word}, []Word{b.Word}) })
		out.Entries = slices.CompactFunc(out.Entries, func(a, b entry) bool { return a.Word == b.Word })
		return out
	}
	words := func(words ...string) cty.Value {
		var out []cty.Value
		for _, w := range words {
			out = append(out, str(w))
		}
		return cty.SetVal(out)
	}
	e := func(word string) cty.Value {
		return partly(d.elementType("entries"), attrs{"word": str(word), "use": str("u")})
	}
	config := d.holding(attrs{"words": words("Tree", "tree", "TREE", "bush"), "entries": cty.SetVal([]cty.Value{e("Oak"), e("oak"), e("fir")})})
	d.apply(config)
	if given != 4 {
		t.Errorf("the provider got %d words, want 4", given)
	}
	d.noChange(config)
	if got := d.attr("v").GetAttr("entries"); got.LengthInt() != 3 {
		t.Errorf("the entries are %#v, want 3 entries", got)
	}
	less := d.holding(attrs{"words": words("TREE", "bush"), "entries": cty.SetVal([]cty.Value{e("oak"), e("fir")})})
	d.apply(less)
	d.noChange(less)

	// If the provider drops an element, all of its equivalent forms are dropped.
	d.apply(config)
	stored := w.objects["n"]
	stored.V.Words = []Word{"bush"}
	if diags := d.refresh(); diags.HasErrors() {
		t.Fatal(diags)
	}
	if got := d.attr("v").GetAttr("words"); !got.RawEquals(words("bush")) {
		t.Errorf("the words are %#v, want only bush", got)
	}
}

package resourcetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/diag"
)

// NoErrors ends the test if there is an error among the diagnostics.
func NoErrors(t *testing.T, diags diag.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

// WantError fails the test unless one of the errors has all these words and is
// about the attribute, if one is named.
func WantError(t *testing.T, diags diag.Diagnostics, attribute string, words ...string) {
	t.Helper()
	for _, d := range diags {
		if d.Severity != diag.Error || attribute != "" && diag.FormatPath(d.Path) != attribute {
			continue
		}
		text := d.Summary + ": " + d.Detail
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			return
		}
	}
	t.Errorf("no error about %q with %q among %v", attribute, words, diags)
}

// WantWords fails the test unless a text has all these words, wherever its lines
// are broken.
func WantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	oneLine := strings.Join(strings.Fields(text), " ")
	for _, word := range words {
		if !strings.Contains(oneLine, strings.Join(strings.Fields(word), " ")) {
			t.Errorf("%q is missing in:\n%s", word, text)
		}
	}
}

func wantAttrs(t *testing.T, got cty.Value, want Attrs) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if v := got.GetAttr(name); !v.RawEquals(want[name]) {
			t.Errorf("%s is %#v, want %#v", name, v, want[name])
		}
	}
}

// OneLine returns what an engine printed without line breaks and frames.
func OneLine(output string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(output)), " ")
}

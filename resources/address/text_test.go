package address_test

import (
	"testing"

	"github.com/posixform/terraform-provider-posix/resources/address"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "a \"é\"\n": "a \"é\"\n", "e\u0301": `"e\u0301"`, "\xff": `"\xff"`} {
		if got := address.Shown(text); got != want || address.IsText(text) != (got == text) {
			t.Errorf("%q is shown as %q, want %q; IsText returns %t", text, got, want, address.IsText(text))
		}
	}
}

func TestNamePattern(t *testing.T) {
	t.Parallel()
	if !address.NamePattern(nil)("anything") {
		t.Error("a nil pattern does not match")
	}
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{{"a|b", "b", true}, {"a|b", "ab", false}, {"web", "web1", false}, {"web.*", "web1", true}, {"", "", true}, {"", "a", false}} {
		if got := address.NamePattern(&tt.pattern)(tt.name); got != tt.want {
			t.Errorf("%q matches %q: %t, want %t", tt.pattern, tt.name, got, tt.want)
		}
	}
}

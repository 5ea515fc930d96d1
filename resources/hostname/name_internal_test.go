package hostname

import (
	"bytes"
	"strings"
	"testing"
)

// TestCheckName checks the rule for names without letters, and that the error states the rule.
func TestCheckName(t *testing.T) {
	t.Parallel()
	if err := checkName("1-2"); err != nil {
		t.Error(err)
	}
	if err := checkName("192.0.2.7"); err == nil || !strings.Contains(err.Error(), "must not consist of digits and dots only") {
		t.Errorf("192.0.2.7: the error is %v, want an error about digits and dots", err)
	}
}

func TestWithName(t *testing.T) {
	t.Parallel()
	for was, want := range map[string]string{
		"":                   "new\n",
		"old":                "new\n",
		"old\n":              "new\n",
		"\n\n":               "\n\nnew\n",
		"# one":              "# one\nnew\n",
		"# one\n  old \nx\n": "# one\nnew\nx\n",
		"old\r\n":            "new\n",
		"\n#old\nold\n#end":  "\n#old\nnew\n#end",
	} {
		if is := withName([]byte(was), "new"); string(is) != want {
			t.Errorf("%q is changed to %q, want %q", was, is, want)
		}
	}
}

// FuzzWithName checks that nameIn returns the name that withName sets, and that all other lines are unchanged.
func FuzzWithName(f *testing.F) {
	for _, text := range []string{"", "old\n", "# one\nold\n", "\n\r\n#", "old # x\n\x00"} {
		f.Add([]byte(text), "web1")
	}
	f.Fuzz(func(t *testing.T, was []byte, name string) {
		if checkName(name) != nil {
			return
		}
		is := withName(was, name)
		if got := nameIn(is); got != name {
			t.Fatalf("%q is changed to %q, which has the name %q, want %q", was, is, got, name)
		}
		if again := withName(is, name); !bytes.Equal(again, is) {
			t.Fatalf("%q is changed to %q the second time, want no change", is, again)
		}
		others := func(text []byte) string {
			from, to := lineOf(text)
			return strings.Trim(string(text[:from])+string(text[to:]), "\n")
		}
		if others(was) != others(is) {
			t.Fatalf("%q is changed to %q, want no change of other lines", was, is)
		}
	})
}

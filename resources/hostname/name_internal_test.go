package hostname

import (
	"bytes"
	"strings"
	"testing"
)

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
			t.Errorf("%q becomes %q, want %q", was, is, want)
		}
	}
}

// A written name is read back, and all other lines are unchanged.
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
			t.Fatalf("%q becomes %q, which has the name %q", was, is, got)
		}
		if again := withName(is, name); !bytes.Equal(again, is) {
			t.Fatalf("%q becomes %q the second time", is, again)
		}
		others := func(text []byte) string {
			from, to := lineOf(text)
			return strings.Trim(string(text[:from])+string(text[to:]), "\n")
		}
		if others(was) != others(is) {
			t.Fatalf("%q becomes %q: other lines have changed", was, is)
		}
	})
}

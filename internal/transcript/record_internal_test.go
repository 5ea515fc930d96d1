package transcript

import (
	"strings"
	"testing"
)

// TestCompact checks which read-only calls are removed.
func TestCompact(t *testing.T) {
	t.Parallel()
	read := func(name, output string) call { return call{readOnly: true, args: []string{name}, stdout: output} }
	change := call{args: []string{"change"}}
	var got []string
	for _, c := range compact([]call{
		read("a", "1"), read("b", "1"), read("a", "1"), read("a", "2"), read("b", "1"), read("a", "2"), change, change, read("a", "2"),
	}) {
		got = append(got, c.args[0]+c.stdout)
	}
	if text, want := strings.Join(got, " "), "a1 a1 a2 b1 change change a2"; text != want {
		t.Errorf("got the calls %s, want %s", text, want)
	}
}

package transcript

import (
	"strings"
	"testing"
)

// TestCompact checks which read-only calls are removed.
func TestCompact(t *testing.T) {
	t.Parallel()
	look := func(name, answer string) call { return call{looks: true, args: []string{name}, stdout: answer} }
	change := call{args: []string{"change"}}
	var got []string
	for _, c := range compact([]call{
		look("a", "1"), look("b", "1"), look("a", "1"), look("a", "2"), look("b", "1"), look("a", "2"), change, change, look("a", "2"),
	}) {
		got = append(got, c.args[0]+c.stdout)
	}
	if text := strings.Join(got, " "); text != "a1 a1 a2 b1 change change a2" {
		t.Errorf("got the calls %s", text)
	}
}

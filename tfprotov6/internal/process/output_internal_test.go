package process

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutput(t *testing.T) {
	t.Parallel()
	many := func(line string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, line+"\n", i)
		}
		return b.String()
	}
	for name, tt := range map[string]struct {
		written  []string
		has, not []string
		heard    string // nothing: what was written
	}{
		"nothing":              {written: nil, heard: ""},
		"blank lines":          {written: []string{"\n  \n\n"}, not: []string{"wrote"}},
		"in pieces":            {written: []string{"on", "e\ntw", "o\n"}, has: []string{"\n  one\n  two\n"}},
		"without an end":       {written: []string{"one\ntwo"}, has: []string{"  one\n  two\n"}, heard: "one\ntwo\n"},
		"the last of many":     {written: []string{many("line %d.", 100)}, has: []string{"line 80.", "line 99."}, not: []string{"line 79."}},
		"a panic, and no more": {written: []string{"before\npanic: why\n", many("at %d.", 100)}, has: []string{"panic: why\n  at 0.", "at 18."}, not: []string{"before", "at 19."}},
		"a second panic":       {written: []string{"fatal error: one\npanic: two\n"}, has: []string{"fatal error: one\n  panic: two"}},
		"a long line":          {written: []string{"x" + strings.Repeat("é", 400) + "\n"}, has: []string{"x" + strings.Repeat("é", 249) + "…"}},
		"an endless line":      {written: []string{strings.Repeat("x", longest), "y\n"}, has: []string{"…\n  y\n"}, heard: strings.Repeat("x", longest) + "\ny\n"},
		"other line ends":      {written: []string{"one\r\n"}, has: []string{"  one\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var heard strings.Builder
			o := &output{to: &heard}
			w := o.writer()
			for _, text := range tt.written {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("wrote %d, %v", n, err)
				}
			}
			o.close()
			for _, want := range tt.has {
				if !strings.Contains(o.quote(), want) {
					t.Errorf("kept %q, want %q", o.quote(), want)
				}
			}
			for _, unwanted := range tt.not {
				if strings.Contains(o.quote(), unwanted) {
					t.Errorf("kept %q, with %q", o.quote(), unwanted)
				}
			}
			want := tt.heard
			if want == "" {
				want = strings.Join(tt.written, "")
			}
			if heard.String() != want {
				t.Errorf("heard %q, want %q", heard.String(), want)
			}
			if _, err := w.Write([]byte("late\n")); err != nil || heard.String() != want {
				t.Errorf("after the end heard %q, %v", heard.String(), err)
			}
		})
	}
}

// Two streams do not mix their lines.
func TestOutputOfTwo(t *testing.T) {
	t.Parallel()
	var heard strings.Builder
	o := &output{to: &heard}
	a, b := o.writer(), o.writer()
	for _, w := range []struct {
		to   interface{ Write([]byte) (int, error) }
		text string
	}{{a, "on"}, {b, "two\n"}, {a, "e\n"}} {
		if _, err := w.to.Write([]byte(w.text)); err != nil {
			t.Fatal(err)
		}
	}
	if heard.String() != "two\none\n" {
		t.Errorf("heard %q", heard.String())
	}
}

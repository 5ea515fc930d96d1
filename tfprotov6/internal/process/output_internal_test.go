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
		got      string // the expected output; if empty, the written text
	}{
		"empty":                {written: nil, got: ""},
		"blank lines":          {written: []string{"\n  \n\n"}, not: []string{"output"}},
		"in pieces":            {written: []string{"on", "e\ntw", "o\n"}, has: []string{"\n  one\n  two\n"}},
		"without a line break": {written: []string{"one\ntwo"}, has: []string{"  one\n  two\n"}, got: "one\ntwo\n"},
		"last of many lines":   {written: []string{many("line %d.", 100)}, has: []string{"line 80.", "line 99."}, not: []string{"line 79."}},
		"start of a panic":     {written: []string{"before\npanic: why\n", many("at %d.", 100)}, has: []string{"panic: why\n  at 0.", "at 18."}, not: []string{"before", "at 19."}},
		"a second panic":       {written: []string{"fatal error: one\npanic: two\n"}, has: []string{"fatal error: one\n  panic: two"}},
		"a long line":          {written: []string{"x" + strings.Repeat("é", 400) + "\n"}, has: []string{"x" + strings.Repeat("é", 249) + "…"}},
		"a very long line":     {written: []string{strings.Repeat("x", maxLine), "y\n"}, has: []string{"…\n  y\n"}, got: strings.Repeat("x", maxLine) + "\ny\n"},
		"CRLF":                 {written: []string{"one\r\n"}, has: []string{"  one\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got strings.Builder
			o := &output{to: &got}
			w := o.writer()
			for _, text := range tt.written {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Errorf("Write: got %d and error %v, want %d and none", n, err, len(text))
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
					t.Errorf("kept %q, which contains %q", o.quote(), unwanted)
				}
			}
			want := tt.got
			if want == "" {
				want = strings.Join(tt.written, "")
			}
			if got.String() != want {
				t.Errorf("got output %q, want %q", got.String(), want)
			}
			if _, err := w.Write([]byte("late\n")); err != nil || got.String() != want {
				t.Errorf("after close: got output %q and error %v, want %q and none", got.String(), err, want)
			}
		})
	}
}

// TestOutputOfTwoStreams checks that lines of two streams are not mixed.
func TestOutputOfTwoStreams(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	o := &output{to: &got}
	a, b := o.writer(), o.writer()
	for _, w := range []struct {
		to   interface{ Write([]byte) (int, error) }
		text string
	}{{a, "on"}, {b, "two\n"}, {a, "e\n"}} {
		if _, err := w.to.Write([]byte(w.text)); err != nil {
			t.Fatal(err)
		}
	}
	if got.String() != "two\none\n" {
		t.Errorf("got %q, want the lines two and one", got.String())
	}
}

// TestPanicInOneOfTwoStreams checks that a panic is kept without lines of the other stream, which
// may be from before the panic.
func TestPanicInOneOfTwoStreams(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	o := &output{to: &got}
	a, b := o.writer(), o.writer()
	for _, w := range []struct {
		to   interface{ Write([]byte) (int, error) }
		text string
	}{{a, "panic: why\n"}, {b, strings.Repeat("log line\n", keptLines)}, {a, "goroutine 1\n"}} {
		if _, err := w.to.Write([]byte(w.text)); err != nil {
			t.Fatal(err)
		}
	}
	if want := ". Last output:\n\n  panic: why\n  goroutine 1\n"; o.quote() != want {
		t.Errorf("kept %q, want %q", o.quote(), want)
	}
	if !strings.Contains(got.String(), "log line") {
		t.Errorf("got output %q, want it to contain the lines of the other stream", got.String())
	}
}

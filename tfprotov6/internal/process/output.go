package process

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	keptLines = 20
	keptBytes = 500 // of a line
	longest   = 64 << 10
)

// output is what a program writes: lines that go to whoever wants them, and of
// which the last are kept for an error. A panic is kept from its first line,
// which says what it was, and not by its last.
type output struct {
	mu      sync.Mutex
	to      io.Writer // nil: nobody
	streams []*lineWriter
	last    []string
	panics  bool
}

// writer is one stream of the output; lines of several do not mix.
func (o *output) writer() io.Writer {
	w := &lineWriter{out: o}
	o.streams = append(o.streams, w)
	return w
}

// line is for who holds the lock.
func (o *output) line(line []byte) {
	if o.to != nil {
		_, _ = o.to.Write(append(line, '\n')) // who listens decides what is lost
	}
	text := string(bytes.TrimRight(line, "\r\n"))
	if strings.TrimSpace(text) == "" {
		return
	}
	if !o.panics && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		o.panics, o.last = true, nil
	}
	if len(o.last) == keptLines {
		if o.panics {
			return
		}
		o.last = o.last[1:]
	}
	o.last = append(o.last, shortened(text))
}

// close writes what has no line break yet. Nobody is written to after that.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.streams {
		if len(w.rest) > 0 {
			o.line(w.rest)
			w.rest = nil
		}
	}
	o.to = nil
}

// quote is what was written last, to be put behind a sentence. It is empty where
// nothing was.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last) == 0 {
		return ""
	}
	return ". The last that it wrote:\n\n  " + strings.Join(o.last, "\n  ") + "\n"
}

func shortened(text string) string {
	if len(text) <= keptBytes {
		return text
	}
	cut := keptBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// lineWriter makes lines of what is written to it.
type lineWriter struct {
	out  *output
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.out.mu.Lock()
	defer w.out.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		line, after, complete := bytes.Cut(p, []byte("\n"))
		w.rest = append(w.rest, line...)
		p = after
		if complete || len(w.rest) >= longest {
			w.out.line(w.rest)
			w.rest = w.rest[:0]
		}
	}
	return n, nil
}

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
	maxLine   = 64 << 10
)

// output passes on the lines that a program writes and keeps the last ones for errors.
// After a panic, it instead keeps the first lines of the panic, which have the cause.
type output struct {
	mu      sync.Mutex
	to      io.Writer // may be nil
	streams []*lineWriter
	last    []string
	// panicked is the stream of the panic. Other streams may be slower: their lines can be
	// from before the panic.
	panicked *lineWriter
}

// writer returns a writer for one stream. Lines of several streams are not
// mixed.
func (o *output) writer() io.Writer {
	w := &lineWriter{out: o}
	o.streams = append(o.streams, w)
	return w
}

// line processes one line of w. The caller holds the lock.
func (o *output) line(w *lineWriter, line []byte) {
	if o.to != nil {
		_, _ = o.to.Write(append(line, '\n')) // the receiver handles its own errors
	}
	text := string(bytes.TrimRight(line, "\r\n"))
	if strings.TrimSpace(text) == "" || o.panicked != nil && o.panicked != w {
		return
	}
	if o.panicked == nil && (strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "fatal error: ")) {
		o.panicked, o.last = w, nil
	}
	if len(o.last) == keptLines {
		if o.panicked != nil {
			return
		}
		o.last = o.last[1:]
	}
	o.last = append(o.last, truncate(text))
}

// close writes incomplete lines. Nothing is written afterwards.
func (o *output) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range o.streams {
		if len(w.rest) > 0 {
			o.line(w, w.rest)
			w.rest = nil
		}
	}
	o.to = nil
}

// quote returns the kept lines, to be appended to an error, or "" if there are
// none.
func (o *output) quote() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.last) == 0 {
		return ""
	}
	return ". Last output:\n\n  " + strings.Join(o.last, "\n  ") + "\n"
}

func truncate(text string) string {
	if len(text) <= keptBytes {
		return text
	}
	cut := keptBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// lineWriter splits written data into lines.
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
		if complete || len(w.rest) >= maxLine {
			w.out.line(w, w.rest)
			w.rest = w.rest[:0]
		}
	}
	return n, nil
}

package command

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// maxLines is the number of lines of output that are reported while a command runs,
	// and maxLineLength the number of bytes of each.
	maxLines      = 200
	maxLineLength = 500
)

// lineReporter is a writer that reports complete lines, with secrets masked.
type lineReporter struct {
	job   *job
	count *lineCount

	mu    sync.Mutex // the host may still write after the command was killed
	line  []byte
	ended bool
}

// lineCount counts the lines of both outputs of a command.
type lineCount struct {
	mu    sync.Mutex
	lines int
}

// lineReporters returns the writers for standard output and standard error.
func (j *job) lineReporters() (stdout, stderr *lineReporter) {
	all := &lineCount{}
	return &lineReporter{job: j, count: all}, &lineReporter{job: j, count: all}
}

// Write implements [io.Writer].
func (t *lineReporter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0 && !t.ended; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		t.line = append(t.line, part[:min(len(part), maxTail-len(t.line))]...)
		if end < 0 {
			break
		}
		t.flush()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// close reports a last line without a newline, and ignores later writes.
func (t *lineReporter) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flush()
	t.ended = true
}

// flush reports the current line. Secrets are masked before long lines are cut.
func (t *lineReporter) flush() {
	line := string(t.line)
	if t.line = t.line[:0]; strings.TrimSpace(line) == "" {
		return
	}
	t.count.mu.Lock()
	defer t.count.mu.Unlock()
	switch t.count.lines++; {
	case t.count.lines > maxLines+1:
		return
	case t.count.lines > maxLines:
		t.job.report("… further output is not shown")
		return
	}
	text := sanitize(strings.ToValidUTF8(line, "\uFFFD"), t.job.masked)
	if short := strings.ToValidUTF8(text[:min(len(text), maxLineLength)], ""); len(short) < len(text) {
		text = short + " …"
	}
	t.job.report(text)
}

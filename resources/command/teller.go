package command

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// toldLines is how many lines of a command's output are reported while it runs, and
	// toldMax the maximum number of characters of each.
	toldLines = 200
	toldMax   = 500
)

// teller reports a command's output line by line, without secrets.
type teller struct {
	job  *job
	told *told

	mu    sync.Mutex // a host may still write after the command was killed
	line  []byte
	ended bool
}

// told counts the lines of both outputs of a command.
type told struct {
	mu    sync.Mutex
	lines int
}

// tellers returns those for a job's standard output and standard error.
func (j *job) tellers() (stdout, stderr *teller) {
	all := &told{}
	return &teller{job: j, told: all}, &teller{job: j, told: all}
}

// Write is part of io.Writer.
func (t *teller) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for rest := p; len(rest) > 0 && !t.ended; {
		end := bytes.IndexByte(rest, '\n')
		part := rest
		if end >= 0 {
			part = rest[:end]
		}
		t.line = append(t.line, part[:min(len(part), tailMax-len(t.line))]...)
		if end < 0 {
			break
		}
		t.tell()
		rest = rest[end+1:]
	}
	return len(p), nil
}

// end reports a last line without a newline, and stops reporting.
func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell()
	t.ended = true
}

// tell reports the current line. Secrets are removed before it is truncated.
func (t *teller) tell() {
	line := string(t.line)
	if t.line = t.line[:0]; strings.TrimSpace(line) == "" {
		return
	}
	t.told.mu.Lock()
	defer t.told.mu.Unlock()
	switch t.told.lines++; {
	case t.told.lines > toldLines+1:
		return
	case t.told.lines > toldLines:
		t.job.report("… further output is not shown")
		return
	}
	text := clean(strings.ToValidUTF8(line, "\uFFFD"), t.job.secrets)
	if short := strings.ToValidUTF8(text[:min(len(text), toldMax)], ""); len(short) < len(text) {
		text = short + " …"
	}
	t.job.report(text)
}

package command

import (
	"bytes"
	"strings"
	"sync"
)

const (
	// toldLines is how many lines of a command's output are told while it runs, and
	// toldMax how many characters of each.
	toldLines = 200
	toldMax   = 500
)

// teller tells a user what a command prints, line by line, without what no message may
// show.
type teller struct {
	job  *job
	told *told

	mu    sync.Mutex // a host may still write when the command was killed
	line  []byte
	ended bool
}

// told is what both outputs of a command have told together.
type told struct {
	mu    sync.Mutex
	lines int
}

// tellers are those of a job's standard output and standard error.
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

// end tells what has no newline at its end, and nothing after it.
func (t *teller) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tell()
	t.ended = true
}

// tell tells the line that there is. Secrets are looked for in all of it, and what is
// long is cut off then.
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

package host

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Tail is a writer that keeps the end of its input, for messages about a program. It is safe
// for concurrent use: a host may still write after the program was killed.
type Tail struct {
	// Max is the maximum number of bytes to keep; 0 means 400.
	Max int

	mu   sync.Mutex
	kept []byte // up to twice the maximum
	size int64
}

// Write implements [io.Writer]. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.most()
	t.size += int64(len(p))
	t.kept = append(t.kept, p[max(0, len(p)-most):]...)
	if len(t.kept) > 2*most {
		t.kept = slices.Delete(t.kept, 0, len(t.kept)-most)
	}
	return len(p), nil
}

func (t *Tail) most() int { return cmp.Or(t.Max, 400) }

// Text returns the kept bytes, and reports whether they are the whole input. Bytes that are
// not UTF-8 are replaced.
func (t *Tail) Text() (text string, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := t.kept[max(0, len(t.kept)-t.most()):]
	return strings.ToValidUTF8(string(kept), "\uFFFD"), int64(len(kept)) == t.size
}

// String returns the text without white space around it.
func (t *Tail) String() string {
	text, _ := t.Text()
	return strings.TrimSpace(text)
}

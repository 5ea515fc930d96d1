package remote

import (
	"strings"
	"sync"
)

// Tail keeps the end of what is written to it, for error messages. Its zero value is
// empty. It is safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 400

// Write implements [io.Writer].
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(p), nil
}

// String returns it as a person can read it.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?"))
}

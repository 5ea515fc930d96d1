package remote

import (
	"strings"
	"sync"
)

// Tail keeps the last bytes that were written to it, for error messages. Its zero value is
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

// String returns the kept text in a printable form.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "?"))
}

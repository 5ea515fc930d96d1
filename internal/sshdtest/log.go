package sshdtest

import (
	"strings"
	"sync"
)

// log keeps the output of sshd and notifies waiters for a text.
type log struct {
	mu      sync.Mutex
	text    strings.Builder
	waiting []waiter
}

// waiter is closed when the output after from contains word.
type waiter struct {
	word string
	from int
	seen chan struct{}
}

func newLog() *log { return &log{} }

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	kept := l.waiting[:0]
	for _, w := range l.waiting {
		if strings.Contains(l.text.String()[w.from:], w.word) {
			close(w.seen)
		} else {
			kept = append(kept, w)
		}
	}
	l.waiting = kept
	return len(p), nil
}

// after returns a channel that is closed when word is written from now on.
func (l *log) after(word string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := waiter{word: word, from: l.text.Len(), seen: make(chan struct{})}
	l.waiting = append(l.waiting, w)
	return w.seen
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *log) count(text string) int {
	n := 0
	for line := range strings.Lines(l.String()) {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

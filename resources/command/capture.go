package command

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// keptMax is the maximum size of a command's output that becomes a value.
	keptMax = 1 << 20
	// tailMax is how much of the end is kept for a message: more than is shown, so that a
	// secret is removed completely before the text is truncated.
	tailMax = 64 << 10
)

// capture stores the beginning and the end of a command's output, in bounded memory.
type capture struct {
	mu   sync.Mutex // a host may still write after the command was killed
	head []byte     // the beginning
	tail []byte     // the end of the output, up to twice tailMax
	size int64
}

// Write is part of io.Writer.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	c.head = append(c.head, p[:min(len(p), keptMax-len(c.head))]...)
	if len(p) > tailMax {
		c.tail = append(c.tail[:0], p[len(p)-tailMax:]...)
		return len(p), nil
	}
	if len(c.tail)+len(p) > 2*tailMax {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-tailMax:]...)
	}
	c.tail = append(c.tail, p...)
	return len(p), nil
}

// text returns the output without trailing newlines, or nil and the reason why it cannot be
// a value.
func (c *capture) text() (text *string, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.size > keptMax:
		return nil, "is larger than 1 MiB"
	case !utf8.Valid(c.head):
		return nil, "is not UTF-8 text"
	}
	return new(string(bytes.TrimRight(c.head, "\n"))), ""
}

// end returns the end of the output, and whether that is all of it.
func (c *capture) end() (text string, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.ToValidUTF8(string(c.tail), "\uFFFD"), int64(len(c.tail)) == c.size
}

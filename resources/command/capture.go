package command

import (
	"bytes"
	"sync"
	"unicode/utf8"

	"github.com/posixform/terraform-provider-posix/host"
)

const (
	// maxOutput is the maximum size of output that an attribute can have.
	maxOutput = 1 << 20
	// maxTail is the size of the end of the output that is kept for messages. It is
	// more than is shown, so that a secret that starts before the shown part is still
	// found.
	maxTail = 64 << 10
)

// capture is a writer that keeps the beginning and the end of a command's output, in
// bounded memory.
type capture struct {
	mu   sync.Mutex // the host may still write after the command was killed
	head []byte     // the beginning
	tail host.Tail  // the end
	size int64
}

func newCapture() *capture { return &capture{tail: host.Tail{Max: maxTail}} }

// Write implements [io.Writer].
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	c.head = append(c.head, p[:min(len(p), maxOutput-len(c.head))]...)
	return c.tail.Write(p)
}

// text returns the output without trailing newlines. If it cannot be an attribute, text
// is nil and why is the reason.
func (c *capture) text() (text *string, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.size > maxOutput:
		return nil, "is larger than 1 MiB"
	case !utf8.Valid(c.head):
		return nil, "is not UTF-8 text"
	}
	return new(string(bytes.TrimRight(c.head, "\n"))), ""
}

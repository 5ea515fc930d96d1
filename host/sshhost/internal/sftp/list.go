package sftp

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
)

const (
	// maxEntries limits a directory listing, as protection against a server that never ends
	// it.
	maxEntries = 1 << 20
	// maxNames limits what the names of a listing may take together, in bytes.
	maxNames = 64 << 20
	// maxName limits the length of a name: four times what the usual file systems allow.
	maxName = 1 << 10
	// Number of concurrent READDIR requests; OpenSSH returns a hundred names for each. It
	// starts with two, so that a small directory takes one round trip, and grows.
	firstSteps, mostSteps = 2, 32
)

// List lists an open directory, with "." and "..", in no order. It closes the
// directory.
func (c *Client) List(ctx context.Context, dir *File) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		defer dir.Discard()
		seen, size := 0, 0
		for steps := firstSteps; ; steps = min(2*steps, mostSteps) {
			replies, err := c.readDir(ctx, dir, steps)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, r := range replies {
				if errors.Is(r.Err, io.EOF) {
					return
				}
				seen += len(r.Value)
				for _, entry := range r.Value {
					size += len(entry.Name)
				}
				if r.Err == nil && (seen > maxEntries || size > maxNames) {
					r.Err = ErrDirectoryTooLarge
				}
				if r.Err != nil {
					yield(Entry{}, r.Err)
					return
				}
				for _, entry := range r.Value {
					if !yield(entry, nil) {
						return
					}
				}
			}
		}
	}
}

func (c *Client) readDir(ctx context.Context, dir *File, steps int) ([]*Reply[[]Entry], error) {
	b := c.Batch()
	replies := make([]*Reply[[]Entry], steps)
	for i := range replies {
		replies[i] = add(b, &Reply[[]Entry]{
			op: "list", path: b.pathOf(dir), want: fxpName, open: true,
			decode: func(_ *request, d *decoder) []Entry { return d.entries() },
		}, fxpReaddir)
		b.handle(dir)
		b.seal()
	}
	return replies, b.Do(ctx)
}

// entries decodes the names of an answer to READDIR. Callers join them to the path of the
// directory, so a name that would lead out of it breaks the protocol.
func (d *decoder) entries() []Entry {
	entries := d.names()
	for _, e := range entries {
		if e.Name == "" || len(e.Name) > maxName || strings.ContainsAny(e.Name, "/\x00") {
			d.err = broken("%.100q is not the name of a file in a directory", e.Name)
			return nil
		}
	}
	return entries
}

package shellrpc

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

const (
	// window is how long requests are collected for a batch: each batch costs the host a
	// few processes, however many requests it has.
	window = 1500 * time.Microsecond
	// maxFlights limits the batches in progress. With a single one, a caller that sends its
	// next request right after a reply would wait for the next batch, and the requests of
	// all callers would be synchronised.
	maxFlights = 8
	// maxRequests and maxBytes limit a batch of several requests: the host limits the arguments
	// of a command, and each caller waits for the whole batch.
	maxRequests = 250
	maxBytes    = 64 << 10
	// abandonDelay is how long a batch continues after its callers have left. Usually it
	// finishes sooner, and killing it also ends the shell, which is then started again.
	abandonDelay = time.Second
	// maxRounds limits the attempts to read a file that keeps changing.
	maxRounds = 8
)

// Coalescer combines requests that are made at about the same time into batches. It is safe
// for concurrent use. When a caller's context ends, its call returns and the other callers
// still get their replies; a batch without callers is killed.
type Coalescer struct {
	helper  *Helper
	flights chan struct{} // holds one element for each batch in progress, or maxFlights for one with an effect

	mu      sync.Mutex
	waiting []*call
	working bool // a goroutine is sending the waiting requests
}

// NewCoalescer returns a coalescer for helper, which other callers may use too.
func NewCoalescer(helper *Helper) *Coalescer {
	return &Coalescer{helper: helper, flights: make(chan struct{}, maxFlights)}
}

// call is one request and its reply.
type call struct {
	request Request // unused if topic is set
	topic   *topic
	subject string

	done  chan struct{} // closed when reply and found are set
	reply Reply
	found found

	flight *flight // the batch of the request; nil while it is in the queue. Guarded by the coalescer's lock
	left   bool    // no caller waits for the reply. Guarded by the coalescer's lock
}

func (a *call) size() int {
	frame, _ := a.request.Text.Frame() // an error is returned when the request is sent
	return len(frame) + len(a.subject)
}

// flight is a batch that was removed from the queue.
type flight struct {
	waited int // number of its requests that callers wait for
	cancel context.CancelFunc
}

// Do sends requests and waits for all replies. The requests may be split over several batches,
// with requests of other callers in between.
func (c *Coalescer) Do(ctx context.Context, requests ...Request) ([]Reply, error) {
	all := make([]*call, len(requests))
	for i, q := range requests {
		all[i] = &call{request: q, done: make(chan struct{})}
	}
	if err := c.wait(ctx, all); err != nil {
		return nil, err
	}
	replies := make([]Reply, len(all))
	for i, a := range all {
		if a.found.err != nil {
			return nil, a.found.err
		}
		replies[i] = a.reply
	}
	return replies, nil
}

// lookup returns the result of a request for a path.
func (c *Coalescer) lookup(ctx context.Context, topic *topic, path string) (found, error) {
	a := &call{topic: topic, subject: path, done: make(chan struct{})}
	if err := c.wait(ctx, []*call{a}); err != nil {
		return found{}, err
	}
	return a.found, a.found.err
}

// Lstat returns the info of the object at path, without following a link. An error matches
// [fs.ErrNotExist] only if the host reported that the path does not exist.
func (c *Coalescer) Lstat(ctx context.Context, path string) (Info, error) {
	f, err := c.lookup(ctx, infoTopic, path)
	return f.info, err
}

// Digest returns the SHA-256 of a regular file, with the info of the same file. On a host without a
// command for it, the error matches [errors.ErrUnsupported].
func (c *Coalescer) Digest(ctx context.Context, path string) (Info, [32]byte, error) {
	f, err := c.lookup(ctx, digestTopic, path)
	return f.info, f.sum, err
}

// DirectDigest is Digest for a file without a symbolic link above its path. If there is one, nothing
// is read, and the error matches [ErrLinkAbove].
func (c *Coalescer) DirectDigest(ctx context.Context, path string) (Info, [32]byte, error) {
	f, err := c.lookup(ctx, directTopic, path)
	return f.info, f.sum, err
}

// wait queues requests and waits for their replies.
func (c *Coalescer) wait(ctx context.Context, all []*call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	c.waiting = append(c.waiting, all...)
	if !c.working {
		c.working = true
		go c.work() //nolint:gosec // it serves other callers too, and ends the batch when all have left
	}
	c.mu.Unlock()
	for _, a := range all {
		select {
		case <-a.done:
		case <-ctx.Done():
			c.leave(all)
			return ctx.Err()
		}
	}
	return nil
}

// leave records that no caller waits for these requests any more.
func (c *Coalescer) leave(all []*call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range all {
		if a.left {
			continue
		}
		a.left = true
		if f := a.flight; f != nil {
			if f.waited--; f.waited == 0 {
				time.AfterFunc(abandonDelay, f.cancel)
			}
		}
	}
}

// work sends waiting requests until there are none. While a batch with an effect is in
// progress, there is no other batch, so that the end of another batch cannot interrupt it.
func (c *Coalescer) work() {
	for {
		time.Sleep(window)
		room := 0
		enter := func(alone func() bool) {
			for ; room == 0 || room < maxFlights && alone(); room++ {
				c.flights <- struct{}{}
			}
		}
		enter(c.effective) // before take, so that other requests can join
		ctx, cancel := context.WithCancel(context.Background())
		batch, effect := c.take(cancel)
		enter(func() bool { return effect })
		go func() {
			defer cancel()
			c.run(ctx, batch)
			for range room {
				<-c.flights
			}
		}()
		if len(batch) == 0 {
			return
		}
	}
}

// effective reports whether a waiting request has an effect.
func (c *Coalescer) effective() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.waiting, func(a *call) bool { return a.request.Effect })
}

// take removes a batch from the queue, and reports whether one of its requests has an
// effect. It returns nil if the queue is empty; work then ends.
func (c *Coalescer) take(cancel context.CancelFunc) (batch []*call, effect bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &flight{cancel: cancel}
	for size := 0; len(c.waiting) > 0 && len(batch) < maxRequests; c.waiting = c.waiting[1:] {
		next := c.waiting[0]
		if next.left {
			continue
		}
		if size += next.size(); size > maxBytes && len(batch) > 0 {
			break
		}
		next.flight = f
		f.waited++
		batch = append(batch, next)
		effect = effect || next.request.Effect
	}
	c.working = len(batch) > 0
	return batch, effect
}

// run sends a batch to the helper, and repeats requests whose replies were inconclusive.
func (c *Coalescer) run(ctx context.Context, batch []*call) {
	left := plan(batch)
	for round := 1; len(left) > 0; round++ {
		requests := make([]Request, len(left))
		for i, part := range left {
			requests[i] = part.request()
		}
		replies, err := c.helper.Do(ctx, requests...)
		var next []*part
		for i, part := range left {
			if err != nil {
				part.fail(err)
				continue
			}
			next = append(next, part.read(replies[i], round == maxRounds)...)
		}
		left = next
	}
	for _, a := range batch {
		close(a.done)
	}
}

// Stated is the info of one of several paths, or an error.
type Stated struct {
	Info
	Err error
}

// Lstats is [Coalescer.Lstat] for several paths.
func (c *Coalescer) Lstats(ctx context.Context, paths ...string) ([]Stated, error) {
	all := make([]*call, len(paths))
	for i, path := range paths {
		all[i] = &call{topic: infoTopic, subject: path, done: make(chan struct{})}
	}
	if err := c.wait(ctx, all); err != nil {
		return nil, err
	}
	stated := make([]Stated, len(paths))
	for i, a := range all {
		stated[i] = Stated{a.found.info, a.found.err}
	}
	return stated, nil
}

// RemoveOnly removes the object at path if it is of the wanted type, a regular file or a
// symbolic link, and reports whether it did. If not, the reason is unknown; if the connection broke,
// an earlier attempt may have removed the object.
func (c *Coalescer) RemoveOnly(ctx context.Context, path string, want host.FileType) (removed bool, err error) {
	topic := removeTopics[want]
	if topic == nil {
		return false, nil
	}
	_, err = c.lookup(ctx, topic, path)
	if errors.Is(err, errStays) {
		return false, nil
	}
	return err == nil, err
}

var removeTopics = map[host.FileType]*topic{host.TypeRegular: removing("f"), host.TypeSymlink: removing("l")}

var errStays = errors.New("the file was not removed")

// removing returns the topic that removes objects of a type.
func removing(kind string) *topic {
	return &topic{
		request: func(paths []string) Request {
			return Request{Text: shell.Call("px_drop", append([]string{kind}, paths...)...), Blocks: 1}
		},
		read: func(paths []string, reply Reply) []found {
			removed := map[string]bool{}
			for _, path := range ended(reply[0]) {
				removed[path] = true
			}
			all := make([]found, len(paths))
			for i, path := range paths {
				if !removed[path] {
					all[i].err = errStays
				}
			}
			return all
		},
		separate: func(string) bool { return false },
	}
}

// Leftovers returns the names in a directory that have the form of [host.TempPath]. The error
// matches [fs.ErrNotExist] or [fs.ErrPermission] if the directory does not exist or cannot be read.
func (c *Coalescer) Leftovers(ctx context.Context, dir string) ([]string, error) {
	replies, err := c.Do(ctx, Request{Text: shell.Call("px_temps", strings.TrimSuffix(dir, "/")+"/"), Blocks: 2})
	if err != nil {
		return nil, err
	}
	if stderr := replies[0][0]; stderr != "" {
		return nil, shell.Reason(stderr)
	}
	var names []string
	for _, found := range temps(replies[0][1]) {
		names = append(names, path.Base(found))
	}
	return names, nil
}

// temps returns the paths in a block that have the form of [host.TempPath]: the host's glob
// pattern matches others too.
func temps(block string) []string {
	return slices.DeleteFunc(ended(block), func(name string) bool { return !host.IsTempPath(name) })
}

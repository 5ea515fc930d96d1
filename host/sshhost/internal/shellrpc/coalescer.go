package shellrpc

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell"
)

const (
	// window is how long questions are collected for a batch: each batch costs the host a
	// few processes, however many questions it has.
	window = 1500 * time.Microsecond
	// maxFlights limits the batches in progress. With a single one, a caller that asks
	// again right after an answer would wait for the next batch, and all callers would end
	// up waiting and working in lockstep.
	maxFlights = 8
	// maxQuestions and maxBytes limit a batch: the host limits the arguments of a command,
	// and a batch is only finished when its slowest question is.
	maxQuestions = 250
	maxBytes     = 64 << 10
	// solitude is how long a batch continues after its callers have left. Killing it costs
	// the shell and its processes, and usually it finishes sooner.
	solitude = time.Second
	// maxRounds limits the attempts to read a file that keeps changing.
	maxRounds = 8
)

// Coalescer combines questions that are asked at about the same time into batches. It is
// safe for concurrent use. When a caller's context ends, its call returns and the other
// callers still get their answers; a batch without callers is killed.
type Coalescer struct {
	helper  *Helper
	flights chan struct{} // holds one element for each batch in progress

	mu      sync.Mutex
	waiting []*asked
	working bool // a goroutine is sending the waiting questions
}

// NewCoalescer returns a coalescer for helper, which other callers may use too.
func NewCoalescer(helper *Helper) *Coalescer {
	return &Coalescer{helper: helper, flights: make(chan struct{}, maxFlights)}
}

// asked is one question and its answer.
type asked struct {
	question Question // unused if topic is set
	topic    *topic
	subject  string

	done   chan struct{} // closed when the other fields are set
	answer Answer
	found  found

	flight *flight // the batch that has it; nil before it is sent. Guarded by the coalescer's lock
	left   bool    // no caller waits for it. Guarded by the coalescer's lock
}

func (a *asked) size() int {
	frame, _ := a.question.Text.Frame() // an error is returned when the question is asked
	return len(frame) + len(a.subject)
}

// flight is a batch that was sent.
type flight struct {
	waited int // number of its questions that callers wait for
	cancel context.CancelFunc
}

// Ask asks questions and waits for all answers. They may be split over several batches,
// with questions of other callers in between.
func (c *Coalescer) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	all := make([]*asked, len(questions))
	for i, q := range questions {
		all[i] = &asked{question: q, done: make(chan struct{})}
	}
	if err := c.wait(ctx, all); err != nil {
		return nil, err
	}
	answers := make([]Answer, len(all))
	for i, a := range all {
		if a.found.err != nil {
			return nil, a.found.err
		}
		answers[i] = a.answer
	}
	return answers, nil
}

// look asks about a path.
func (c *Coalescer) look(ctx context.Context, topic *topic, path string) (found, error) {
	a := &asked{topic: topic, subject: path, done: make(chan struct{})}
	if err := c.wait(ctx, []*asked{a}); err != nil {
		return found{}, err
	}
	return a.found, a.found.err
}

// Stat returns the info of the object at path, without following a link. An error matches
// [fs.ErrNotExist] only if the host reported that.
func (c *Coalescer) Stat(ctx context.Context, path string) (Info, error) {
	f, err := c.look(ctx, infoTopic, path)
	return f.info, err
}

// Digest returns the SHA-256 of a regular file, with the info of the same file.
func (c *Coalescer) Digest(ctx context.Context, path string) (Info, [32]byte, error) {
	f, err := c.look(ctx, digestTopic, path)
	return f.info, f.sum, err
}

// wait queues questions and waits for them.
func (c *Coalescer) wait(ctx context.Context, all []*asked) error {
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

// leave records that no caller waits for these questions any more.
func (c *Coalescer) leave(all []*asked) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range all {
		if a.left {
			continue
		}
		a.left = true
		if f := a.flight; f != nil {
			if f.waited--; f.waited == 0 {
				time.AfterFunc(solitude, f.cancel)
			}
		}
	}
}

// work sends waiting questions until there are none. A batch with an effect is sent alone,
// so that the end of another batch cannot interrupt it.
func (c *Coalescer) work() {
	for {
		time.Sleep(window)
		room := 0
		enter := func(alone func() bool) {
			for ; room == 0 || room < maxFlights && alone(); room++ {
				c.flights <- struct{}{}
			}
		}
		enter(c.effective) // before take, so that other questions can join
		ctx, cancel := context.WithCancel(context.Background())
		batch, effect := c.take(cancel)
		enter(func() bool { return effect })
		go func() {
			defer cancel()
			c.answer(ctx, batch)
			for range room {
				<-c.flights
			}
		}()
		if len(batch) == 0 {
			return
		}
	}
}

// effective reports whether a waiting question has an effect.
func (c *Coalescer) effective() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.waiting, func(a *asked) bool { return a.question.Effect })
}

// take removes a batch from the queue, and reports whether one of its questions has an
// effect. It returns nil if the queue is empty; work then ends.
func (c *Coalescer) take(cancel context.CancelFunc) (batch []*asked, effect bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &flight{cancel: cancel}
	for size := 0; len(c.waiting) > 0 && len(batch) < maxQuestions; c.waiting = c.waiting[1:] {
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
		effect = effect || next.question.Effect
	}
	c.working = len(batch) > 0
	return batch, effect
}

// answer asks the helper, and repeats questions whose answers were inconclusive.
func (c *Coalescer) answer(ctx context.Context, batch []*asked) {
	left := plan(batch)
	for round := 1; len(left) > 0; round++ {
		questions := make([]Question, len(left))
		for i, part := range left {
			questions[i] = part.question()
		}
		answers, err := c.helper.Ask(ctx, questions...)
		var next []*part
		for i, part := range left {
			if err != nil {
				part.fail(err)
				continue
			}
			next = append(next, part.read(answers[i], round == maxRounds)...)
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

// Stats is [Coalescer.Stat] of several paths.
func (c *Coalescer) Stats(ctx context.Context, paths ...string) ([]Stated, error) {
	all := make([]*asked, len(paths))
	for i, path := range paths {
		all[i] = &asked{topic: infoTopic, subject: path, done: make(chan struct{})}
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
// symbolic link, and reports whether it did. If not, nothing was removed and the reason is
// unknown. It is safe to repeat after a broken connection.
func (c *Coalescer) RemoveOnly(ctx context.Context, path string, want host.FileType) (removed bool, err error) {
	topic := removeTopics[want]
	if topic == nil {
		return false, nil
	}
	_, err = c.look(ctx, topic, path)
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
		ask: func(paths []string) Question {
			return Question{Text: shell.Call("px_drop", append([]string{kind}, paths...)...), Blocks: 1}
		},
		read: func(paths []string, answer Answer) []found {
			removed := map[string]bool{}
			for _, path := range ended(answer[0]) {
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
		alone: func(string) bool { return false },
	}
}

// Leftovers returns the names in a directory that have the form of [host.TempPath]. A
// directory that does not exist or cannot be read has none.
func (c *Coalescer) Leftovers(ctx context.Context, dir string) ([]string, error) {
	answers, err := c.Ask(ctx, Question{Text: shell.Call("px_temps", strings.TrimSuffix(dir, "/")+"/"), Blocks: 2})
	if err != nil {
		return nil, err
	}
	if said := answers[0][0]; said != "" {
		err := shell.Reason(said)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil, nil
		}
		return nil, err
	}
	var names []string
	for _, found := range temps(answers[0][1]) {
		names = append(names, path.Base(found))
	}
	return names, nil
}

// temps filters other names that match the host's glob pattern.
func temps(block string) []string {
	var found []string
	for _, name := range ended(block) {
		if host.IsTempPath(name) {
			found = append(found, name)
		}
	}
	return found
}

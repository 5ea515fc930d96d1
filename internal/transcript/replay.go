package transcript

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// player replays a transcript.
type player struct {
	tb    testing.TB
	path  string
	files *memory.Host

	mu    sync.Mutex
	calls []call
	used  []bool
	now   int // index of the latest replayed change; -1 before the first
}

func replay(tb testing.TB, path string, config memory.Config) host.Host {
	tb.Helper()
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		tb.Fatalf("%v: to record the transcript, run this test with %s=1 on a host that has the tools", err, Variable)
	}
	if err != nil {
		tb.Fatal(err)
	}
	s, err := parse(string(text))
	if err != nil {
		tb.Fatalf("%s: %v", path, err)
	}
	p := &player{tb: tb, path: path, calls: s.calls, used: make([]bool, len(s.calls)), now: -1}
	config.Name, config.Run = cmp.Or(config.Name, host.LocalName), p.run
	p.files = memory.New(config)
	for _, e := range s.first {
		if err := p.put(context.Background(), e); err != nil {
			tb.Fatalf("%s: %s: %v", path, e.path, err)
		}
	}
	tb.Cleanup(p.unused)
	return p.files
}

// run replays a command. A call that is not in the transcript fails the test.
func (p *player) run(ctx context.Context, cmd host.Command) (host.Result, error) {
	asked, err := describe(cmd)
	if err != nil {
		return host.Result{}, err
	}
	switch {
	case asked.replacesFile():
		return host.Result{}, errors.ErrUnsupported // the caller then replaces the file without running a script
	case remotecmd.IsDetachedWait(cmd):
		return host.Result{}, nil // a replaying host does not wait
	case remotecmd.IsRootQuery(cmd):
		_, err := io.WriteString(cmd.Stdout, "0\n") // the user of a replaying host is root
		return host.Result{}, err
	}
	recorded, found := p.record(asked)
	if !found {
		err := fmt.Errorf("%s has no record of this call after the previous calls:%s", p.path, asked.key())
		p.tb.Error(err)
		return host.Result{}, err
	}
	for _, e := range recorded.after {
		if err := p.put(ctx, e); err != nil {
			p.tb.Errorf("%s: %s: %v", p.path, e.path, err)
		}
	}
	for _, out := range []struct {
		to   io.Writer
		text string
	}{{cmd.Stdout, recorded.stdout}, {cmd.Stderr, recorded.stderr}} {
		if out.to == nil {
			continue
		}
		if _, err := io.WriteString(out.to, out.text); err != nil {
			return recorded.result, err
		}
	}
	return recorded.result, nil
}

// record returns the record to replay for a call, and reports whether there is one. Each
// record of a change is replayed once, equal records in order. For a read-only call it returns the next
// record between the latest replayed change and the change after it, or the last such record again.
func (p *player) record(asked call) (call, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key, again := asked.key(), -1
	for i, c := range p.calls {
		switch {
		case c.key() != key, c.readOnly && !p.isNow(i), p.used[i] && !c.readOnly:
		case p.used[i]:
			again = i
		default:
			p.used[i] = true
			if !c.readOnly {
				p.now = max(p.now, i)
			}
			return c, true
		}
	}
	if again >= 0 {
		return p.calls[again], true
	}
	return call{}, false
}

// isNow reports whether the read-only call at index i was recorded after the latest
// replayed change and before the next one.
func (p *player) isNow(i int) bool {
	if i < p.now {
		return false
	}
	return !slices.ContainsFunc(p.calls[p.now+1:i], func(c call) bool { return !c.readOnly })
}

// put writes an entry, or removes the file if the kind of the entry is zero.
func (p *player) put(ctx context.Context, e entry) error {
	attrs := host.Attributes{Mode: &e.mode}
	if e.kind != host.TypeUnknown {
		if _, err := host.MakeParents(ctx, p.files, e.path, host.Attributes{}); err != nil {
			return err
		}
	}
	var err error
	switch e.kind {
	case host.TypeRegular:
		_, err = p.files.WriteFile(ctx, e.path, strings.NewReader(e.content), host.WriteOptions{Attributes: attrs})
	case host.TypeSymlink:
		_, err = p.files.ReplaceSymlink(ctx, e.content, e.path, nil)
	case host.TypeDirectory:
		if _, err = p.files.Mkdir(ctx, e.path, attrs); errors.Is(err, fs.ErrExist) {
			_, err = p.files.SetAttributes(ctx, e.path, host.TypeUnknown, attrs)
		}
	default:
		if err = p.files.Remove(ctx, e.path); err != nil {
			err = p.files.Rmdir(ctx, e.path)
		}
	}
	return err
}

// unused fails the test if recorded changes were not replayed, unless the test has already
// failed or was skipped.
func (p *player) unused() {
	if p.tb.Failed() || p.tb.Skipped() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, c := range p.calls {
		if !c.readOnly && !p.used[i] {
			p.tb.Errorf("%s has a call that the test did not make:%s", p.path, c.key())
		}
	}
}

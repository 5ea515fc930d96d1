package transcript

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/memory"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// recorder is a host that records the commands that it runs.
type recorder struct {
	host.Host
	tb      testing.TB
	options Options

	mu     sync.Mutex // serialises calls, so that each change belongs to one call
	script script
}

func record(tb testing.TB, path string, o Options) host.Host {
	tb.Helper()
	system, err := o.Real()
	if err != nil {
		tb.Fatal(err)
	}
	r := &recorder{Host: system, tb: tb, options: o}
	for _, version := range o.Versions {
		output, err := remotecmd.Run(tb.Context(), system, version...)
		if err != nil {
			tb.Fatalf("cannot get a version to record: %v", err)
		}
		line, _, _ := strings.Cut(cmp.Or(strings.TrimSpace(output.Stdout), strings.TrimSpace(output.Stderr)), "\n")
		r.script.head = append(r.script.head, "Recorded from: "+line)
	}
	seen := r.watched(tb.Context())
	for _, at := range slices.Sorted(maps.Keys(seen)) {
		r.script.first = append(r.script.first, seen[at])
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			return
		}
		r.script.calls = compact(r.script.calls)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			tb.Error(err)
		}
		if err := os.WriteFile(path, []byte(r.script.String()), 0o644); err != nil { //nolint:gosec // transcripts are a part of the source
			tb.Error(err)
		}
	})
	return r
}

// Run runs the command and records it. It records neither commands that the player handles without
// a record nor commands that return an error.
func (r *recorder) Run(ctx context.Context, cmd host.Command) (host.Result, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, err := describe(cmd)
	if err != nil {
		return host.Result{}, err
	}
	if c.replacesFile() || remotecmd.IsRootQuery(cmd) || remotecmd.IsDetachedWait(cmd) {
		cmd.Stdin = strings.NewReader(c.stdin)
		return r.Host.Run(ctx, cmd)
	}
	c.readOnly = r.options.ReadOnly(c.args)
	var stdout, stderr bytes.Buffer
	run := cmd
	run.Stdin, run.Stdout, run.Stderr = strings.NewReader(c.stdin), tee(cmd.Stdout, &stdout), tee(cmd.Stderr, &stderr)
	before := r.watched(ctx)
	if c.result, err = r.Host.Run(ctx, run); err != nil {
		return c.result, err // the program has no result
	}
	after := r.watched(ctx)
	c.stdout, c.stderr, c.after = r.kept(stdout.String()), stderr.String(), changes(before, after)
	r.script.calls = append(r.script.calls, c)
	return c.result, nil
}

// compact removes read-only calls that the player can repeat: if the last ones of several equal
// calls between two changes have the same result, it keeps only the first of these.
func compact(calls []call) []call {
	var kept []call
	reads := map[string][]call{} // since the latest change, by key
	flush := func(upTo []call) {
		for _, c := range upTo {
			same := reads[c.key()]
			last := len(same) - 1
			for last > 0 && same[last].sameResult(same[last-1]) {
				last--
			}
			if len(same) > 0 {
				kept, reads[c.key()] = append(kept, same[:last+1]...), nil
			}
		}
	}
	from := 0
	for i, c := range calls {
		if c.readOnly {
			reads[c.key()] = append(reads[c.key()], c)
			continue
		}
		flush(calls[from:i])
		kept, from = append(kept, c), i+1
	}
	flush(calls[from:])
	return kept
}

// sameResult reports whether two calls have the same result and neither changed a file.
func (c call) sameResult(other call) bool {
	return c.stdout == other.stdout && c.stderr == other.stderr && c.result == other.result && len(c.after) == 0 && len(other.after) == 0
}

// kept returns an output without the lines that Options.Omit omits.
func (r *recorder) kept(stdout string) string {
	if r.options.Omit == nil {
		return stdout
	}
	var b strings.Builder
	for line := range strings.Lines(stdout) {
		if !r.options.Omit(strings.TrimSuffix(line, "\n")) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// tee returns a writer that writes to both arguments. to may be nil.
func tee(to io.Writer, copied *bytes.Buffer) io.Writer {
	if to == nil {
		return copied
	}
	return io.MultiWriter(to, copied)
}

// describe returns the call of a command. It reads all of the standard input.
func describe(cmd host.Command) (call, error) {
	c := call{args: remotecmd.Program(cmd), dir: cmd.Dir}
	if c.args == nil {
		c.plain, c.args = true, cmd.Args
	}
	if cmd.Stdin == nil {
		return c, nil
	}
	stdin, err := io.ReadAll(cmd.Stdin)
	c.stdin = string(stdin)
	return c, err
}

// replacesFile reports whether the call is the script by which package textedit replaces a
// file. Such a call is not recorded, because on a replaying host textedit writes the file without it.
func (c call) replacesFile() bool {
	return len(c.args) > 2 && strings.HasPrefix(c.args[2], "echo posix-edit\n")
}

// changes returns the entries that changed. An entry with only a path is a removed file.
func changes(before, after map[string]entry) []entry {
	var changed []entry
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(before))) { // contents of directories first
		if _, still := after[at]; !still {
			changed = append(changed, entry{path: at})
		}
	}
	for _, at := range slices.Sorted(maps.Keys(after)) {
		if before[at] != after[at] {
			changed = append(changed, after[at])
		}
	}
	return changed
}

// watched returns the entries at and below the watched paths.
func (r *recorder) watched(ctx context.Context) map[string]entry {
	found := map[string]entry{}
	for _, path := range r.options.Watch {
		if err := r.look(ctx, path, found); err != nil {
			r.tb.Errorf("watch %s: %v", path, err)
		}
	}
	return found
}

func (r *recorder) look(ctx context.Context, path string, found map[string]entry) error {
	info, err := r.Lstat(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	e := entry{path: path, kind: info.Type, mode: info.Mode}
	switch info.Type {
	case host.TypeSymlink:
		e.mode, e.content = 0, info.LinkTarget
	case host.TypeRegular:
		_, content, err := r.Open(ctx, path)
		if err != nil {
			return err
		}
		text, err := io.ReadAll(content)
		if err := errors.Join(err, content.Close()); err != nil {
			return err
		}
		e.content = string(text)
	case host.TypeDirectory:
		children, err := r.ReadDir(ctx, path)
		if err != nil {
			return err
		}
		for _, child := range children {
			if err := r.look(ctx, pathpkg.Join(path, child.Name), found); err != nil {
				return err
			}
		}
	default:
		return nil // a socket or a file of any other type
	}
	found[path] = e
	return nil
}

// Variable is the environment variable that enables recording.
const Variable = "TRANSCRIPT_RECORD"

// Recording reports whether tests run on real hosts and record the results.
func Recording() bool { return os.Getenv(Variable) != "" }

// Options configures the recording and the replaying host.
type Options struct {
	// Real returns the host to record. It is called only while recording; nil means
	// that the transcript is written by hand.
	Real func() (host.Host, error)

	// ReadOnly reports whether a call with the arguments changes nothing. Nil means never.
	ReadOnly func(args []string) bool

	// Watch has the files and directories whose content is recorded: initially, and after
	// each call that changes them. Writes between calls are not recorded, because the test
	// repeats them.
	Watch []string

	// Omit reports whether a line of standard output is not recorded, such as a line about
	// the host that runs the root. Nil means never.
	Omit func(line string) bool

	// Versions has commands whose first line of output is recorded at the top of the
	// transcript.
	Versions [][]string

	// Host configures the replaying host: its users, its groups and its name, which
	// defaults to the name of the local host.
	Host memory.Config
}

// Host returns the host of a transcript: the replaying host, or the real host while
// recording.
func Host(tb testing.TB, path string, o Options) host.Host {
	tb.Helper()
	if o.ReadOnly == nil {
		o.ReadOnly = func([]string) bool { return false }
	}
	if Recording() && o.Real != nil {
		return record(tb, path, o)
	}
	return replay(tb, path, o.Host)
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The steps of a life, in order.
const (
	apply   = "apply"
	noop    = "plan, no-op"
	update  = "update of all"
	destroy = "destroy"
)

// size is that of each file.
const size = 1 << 10

// contender brings files to a folder.
type contender interface {
	name() string
	// steps are what it does with n files, in its own folder.
	steps(dir, files string, n int) []step
	// seen is what there was on its way to the files until now.
	seen() traffic
}

// step is one command.
type step struct {
	name    string
	prepare func() error // is not measured; may be nil
	command func(ctx context.Context, version int) *exec.Cmd
	version int // what the files are afterwards; 0 is that they are gone
}

// taken is what a step cost.
type taken struct {
	name string
	wall time.Duration
	traffic
}

func (t taken) String() string {
	return fmt.Sprintf("%s %.2f s (%d connections, %d turns)", t.name, t.wall.Seconds(), t.connections, t.turns)
}

type life []taken

func (l life) String() string {
	texts := make([]string, len(l))
	for i, t := range l {
		texts[i] = t.String()
	}
	return strings.Join(texts, ", ")
}

// measure takes a contender through the life of n files in a fresh folder.
func measure(ctx context.Context, dir string, c contender, n int) (_ life, err error) {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o755); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	var l life
	for _, s := range c.steps(dir, files, n) {
		if s.prepare != nil {
			if err := s.prepare(); err != nil {
				return nil, err
			}
		}
		before := c.seen()
		cmd := s.command(ctx, s.version)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // so that an engine ends its provider
		cmd.WaitDelay = 20 * time.Second
		start := time.Now()
		output, err := cmd.CombinedOutput()
		wall := time.Since(start)
		if err != nil {
			return nil, fmt.Errorf("%s: %w; the end of its output:\n%s", s.name, err, output[max(0, len(output)-2000):])
		}
		after := c.seen()
		if err := check(files, s.version, n); err != nil {
			return nil, fmt.Errorf("after %s: %w", s.name, err)
		}
		l = append(l, taken{s.name, wall, traffic{after.connections - before.connections, after.turns - before.turns}})
	}
	return l, nil
}

func name(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("file-%d", i)) }

// content is what a file has in a version.
func content(version, i int) []byte {
	return fmt.Appendf(nil, "%-*s\n", size-1, fmt.Sprintf("version %d of file %d", version, i))
}

// check finds exactly the n files in dir, or none in version 0, with their content
// and mode.
func check(dir string, version, n int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if version == 0 {
		n = 0
	}
	if len(entries) != n {
		return fmt.Errorf("%d files instead of %d in %s", len(entries), n, dir)
	}
	for i := range n {
		path := name(dir, i)
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		if info.Mode() != fs.FileMode(0o644) {
			return fmt.Errorf("%s has mode %v", path, info.Mode())
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !bytes.Equal(b, content(version, i)) {
			return fmt.Errorf("%s has other content: %.40q…", path, b)
		}
	}
	return nil
}

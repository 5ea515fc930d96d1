//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// phase is one engine command and what it cost.
type phase struct {
	name string
	wall time.Duration
	// engine is the processor time of the engine, without the provider.
	engine time.Duration
	usage
}

func (p phase) String() string {
	return p.name + " " + p.cost()
}

// cost is wall time (processor time of engine + provider, the provider's peak
// memory), in seconds and MB.
func (p phase) cost() string {
	return fmt.Sprintf("%.2f (%.1f + %.2f, %.0f)", p.wall.Seconds(), p.engine.Seconds(), p.CPU.Seconds(), float64(p.PeakKB)/1024)
}

type phases []phase

func (p phases) String() string {
	var texts []string
	for _, one := range p {
		texts = append(texts, one.String())
	}
	return strings.Join(texts, ", ")
}

// measure takes a contender through the life of n files in a fresh folder.
func measure(ctx context.Context, engine, dir string, c contender, n int, destroy bool) (_ phases, err error) {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o755); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(c.configuration(files, n)), 0o600); err != nil {
		return nil, err
	}

	apply, err := command(ctx, engine, dir, c, "apply", "-auto-approve")
	if err != nil {
		return nil, err
	}
	if err := checkFiles(files, n); err != nil {
		return nil, fmt.Errorf("after apply: %w", err)
	}
	// With -detailed-exitcode a plan that has something to do is an error here.
	plan, err := command(ctx, engine, dir, c, "plan", "-detailed-exitcode")
	if err != nil {
		return nil, err
	}
	if !destroy {
		return phases{apply, plan}, nil
	}
	gone, err := command(ctx, engine, dir, c, "destroy", "-auto-approve")
	if err != nil {
		return nil, err
	}
	if err := checkFiles(files, 0); err != nil {
		return nil, fmt.Errorf("after destroy: %w", err)
	}
	return phases{apply, plan, gone}, nil
}

// command runs one engine command and measures it.
func command(ctx context.Context, engine, dir string, c contender, name string, args ...string) (phase, error) {
	used := filepath.Join(dir, "usage.json")
	cmd := exec.CommandContext(ctx, engine, append([]string{name, "-no-color", "-input=false"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(tfcli.Environ(os.Environ(), c.overrides),
		wrapEnv+"="+c.command,
		usageEnv+"="+used,
	)
	if c.quiet {
		cmd.Env = append(cmd.Env, quietEnv...)
	}
	start := time.Now()
	output, err := cmd.CombinedOutput()
	wall := time.Since(start)
	if err != nil {
		return phase{}, fmt.Errorf("%s: %w; the end of its output:\n%s", name, err, tail(output, 2000))
	}
	total, err := readUsage(used)
	if err != nil {
		return phase{}, fmt.Errorf("%s: usage of the provider: %w", name, err)
	}
	// What a process has used includes the children that it has waited for.
	engineTime := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - total.CPU
	return phase{name: name, wall: wall, engine: engineTime, usage: total}, nil
}

// checkFiles finds exactly the n files in dir, with their content and mode.
func checkFiles(dir string, n int) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) != n {
		return fmt.Errorf("%d files instead of %d in %s", len(entries), n, dir)
	}
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("file-%d", i))
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
		if want := fmt.Sprintf("content of file %d\n", i); string(b) != want {
			return fmt.Errorf("%s has content %q", path, b)
		}
	}
	return nil
}

func tail(b []byte, n int) []byte {
	return b[max(0, len(b)-n):]
}

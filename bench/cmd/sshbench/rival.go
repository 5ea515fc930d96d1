package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rivals are other ways to bring the same files to a host. They know no state and
// wait for no disk.
func rivals(w way) []contender {
	all := []contender{&archive{w}}
	if _, err := exec.LookPath("rsync"); err != nil {
		fmt.Fprintln(os.Stderr, "rsync is missing and is left out")
		return all
	}
	return append(all, &synced{w})
}

// source is a folder with a version of all files.
func source(dir string, version, n int) (string, error) {
	from := filepath.Join(dir, fmt.Sprintf("version-%d", version))
	if err := os.MkdirAll(from, 0o755); err != nil {
		return "", err
	}
	for i := range n {
		if err := os.WriteFile(name(from, i), content(version, i), 0o644); err != nil {
			return "", err
		}
	}
	return from, nil
}

// sources prepares all versions. There is no file in version 0.
func sources(dir string, n int) func() error {
	return func() error {
		for version, n := range []int{0, n, n} {
			if _, err := source(dir, version, n); err != nil {
				return err
			}
		}
		return nil
	}
}

// archive is tar through ssh.
type archive struct{ way way }

func (a *archive) name() string { return "tar, ssh, " + a.way.name }

func (a *archive) seen() traffic { return a.way.seen() }

func (a *archive) steps(dir, files string, n int) []step {
	shell := func(script string) func(context.Context, int) *exec.Cmd {
		return func(ctx context.Context, version int) *exec.Cmd {
			// The paths are of this program and have nothing in them that a shell reads.
			ssh := strings.Join(append(a.way.ssh(), a.way.host), " ")
			script := strings.NewReplacer("SSH", ssh, "FROM", fmt.Sprintf("%s/version-%d", dir, version), "TO", files).Replace(script)
			return exec.CommandContext(ctx, "sh", "-c", script)
		}
	}
	write := shell("tar -C FROM -cf - . | SSH tar -C TO -xf -")
	return []step{
		{name: apply, prepare: sources(dir, n), command: write, version: 1},
		{name: update, command: write, version: 2},
		{name: destroy, command: shell("SSH find TO -type f -delete")},
	}
}

// synced is rsync through ssh.
type synced struct{ way way }

func (s *synced) name() string { return "rsync, " + s.way.name }

func (s *synced) seen() traffic { return s.way.seen() }

func (s *synced) steps(dir, files string, n int) []step {
	rsync := func(args ...string) func(context.Context, int) *exec.Cmd {
		return func(ctx context.Context, version int) *exec.Cmd {
			args := append([]string{"-r", "--perms", "--checksum", "-e", strings.Join(s.way.ssh(), " ")}, args...)
			args = append(args, fmt.Sprintf("%s/version-%d/", dir, version), s.way.host+":"+files)
			return exec.CommandContext(ctx, "rsync", args...)
		}
	}
	return []step{
		{name: apply, prepare: sources(dir, n), command: rsync(), version: 1},
		{name: noop, command: rsync("--dry-run"), version: 1},
		{name: update, command: rsync(), version: 2},
		{name: destroy, command: rsync("--delete")},
	}
}

//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Steps of a lifecycle.
const (
	apply   = "apply"
	noop    = "plan, no-op"
	update  = "update of all"
	destroy = "destroy"
)

// fileContent returns the content of file i in a version, with size bytes.
func fileContent(version, i, size int) []byte {
	text := fmt.Appendf(nil, "version %d of file %d", version, i)
	// Package fmt rejects a width argument above a million.
	return append(append(text, bytes.Repeat([]byte(" "), max(size-1-len(text), 0))...), '\n')
}

func fileName(dir string, i int) string { return filepath.Join(dir, fmt.Sprintf("file-%d", i)) }

// fileConfig returns a configuration of n files of size bytes below dir. The variable v is
// their version; more has additional arguments.
func fileConfig(resource, dir string, n, size int, more string) string {
	return fmt.Sprintf(`variable "v" {
  type = number
}

resource %q "file" {
  count   = %d
%s  path    = "%s/file-${count.index}"
  content = format("%%-%ds\n", "version ${var.v} of file ${count.index}")
}
`, resource, n, more, dir, size-1)
}

// checkFiles returns a function that returns an error unless dir has exactly the n files of
// a version, with mode 0644. Version 0 has no files.
func checkFiles(dir string, version, n, size int) func(context.Context) error {
	return func(context.Context) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		if version == 0 {
			n = 0
		}
		if len(entries) != n {
			return fmt.Errorf("got %d files, want %d, in %s", len(entries), n, dir)
		}
		for i := range n {
			path := fileName(dir, i)
			info, err := os.Lstat(path)
			if err != nil {
				return err
			}
			if info.Mode() != fs.FileMode(0o644) {
				return fmt.Errorf("%s has mode %v, want 0644", path, info.Mode())
			}
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if !bytes.Equal(b, fileContent(version, i, size)) {
				return fmt.Errorf("%s does not have the content of version %d: %.40q…", path, version, b)
			}
		}
		return nil
	}
}

// life returns the steps of the lifecycle of n files of size bytes, by name.
func (s *server) life(dir string, n, size int, config string) map[string]step {
	command := func(version int, args ...string) step {
		args = append(args, fmt.Sprintf("-var=v=%d", version))
		return step{command: s.command(dir, args...), check: checkFiles(filesDir(dir), version, n, size)}
	}
	first := command(1, "apply", "-auto-approve")
	first.prepare = func() error { return s.writeConfig(dir, config) }
	gone := command(2, "destroy", "-auto-approve")
	gone.check = checkFiles(filesDir(dir), 0, n, size)
	return map[string]step{
		apply:   first,
		noop:    command(1, "plan", "-detailed-exitcode"), // fails if there is a change
		update:  command(2, "apply", "-auto-approve"),
		destroy: gone,
	}
}

// named returns the steps with these names, in this order.
func named(steps map[string]step, names ...string) []step {
	var out []step
	for _, name := range names {
		s := steps[name]
		s.name = name
		out = append(out, s)
	}
	return out
}

const (
	smallFile   = 64   // bytes
	destroyUpTo = 1000 // maximum number of files for destroy, which is slow in the engine
)

// protocolLogOff turns off the protocol logging of terraform-plugin-go.
var protocolLogOff = []string{"TF_LOG_SDK=off", "TF_LOG_SDK_PROTO=off"}

// fileContenders returns providers of small files on the local host: the hand-written
// server and terraform-plugin-framework with the resource of package bench, posix_file
// written by hand, posix_file itself, and the resource of package bench on the runtime.
// Protocol logging of terraform-plugin-go is off, as in package serve, except for the
// framework, which runs with its defaults.
func fileContenders(ctx context.Context, e *engine, _ *network) ([]contender, error) {
	var out []contender
	for _, c := range []struct {
		name, provider, resource, module, pkg string
		env                                   []string
	}{
		{"floor", "bench", "bench_file", "bench", "./cmd/floorserver", protocolLogOff},
		{"framework", "bench", "bench_file", "bench", "./cmd/frameworkserver", nil},
		{"twin", "posix", "posix_file", "bench", "./cmd/twinserver", protocolLogOff},
		{"ours", "posix", "posix_file", ".", ".", nil},
		{"runtime", "bench", "bench_file", "bench", "./cmd/runtimeserver", protocolLogOff},
	} {
		s, err := e.build(ctx, c.provider, c.module, c.pkg, true)
		if err != nil {
			return nil, err
		}
		s.env = append(s.env, c.env...)
		out = append(out, contender{name: c.name, steps: func(dir string, n int) []step {
			steps := s.life(dir, n, smallFile, fileConfig(c.resource, filesDir(dir), n, smallFile, ""))
			if n > destroyUpTo {
				return named(steps, apply, noop)
			}
			return named(steps, apply, noop, destroy)
		}})
	}
	return out, nil
}

// filesTable returns a table with a row for each step: costs, and ratios of wall times.
func filesTable(contenders []contender, results []result, _ time.Duration) string {
	type pair struct{ one, other string }
	var pairs []pair
	head, line := "| command, runs |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name+" |", line+"--:|"
		if c.name != "floor" {
			pairs = append(pairs, pair{c.name, "floor"})
		}
	}
	pairs = append(pairs, pair{"ours", "twin"})
	for _, p := range pairs {
		head, line = head+" "+p.one+" ÷ "+p.other+" |", line+"--:|"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Wall time in seconds (CPU seconds of the engine + the provider, the provider's largest peak memory in MB), best of the runs. "+spreadNote+"\n\n%s\n%s\n", head, line)
	for _, r := range results {
		for _, name := range []string{apply, noop, destroy} {
			if _, ok := r.best("ours", name); !ok {
				continue
			}
			fmt.Fprintf(&b, "| %d files, %s, %d× |", r.files, name, r.runs)
			for _, c := range contenders {
				best, _ := r.best(c.name, name)
				fmt.Fprintf(&b, " %.2f (%.1f + %.2f, %.0f) |", best.wall.Seconds(), best.engine().Seconds(), best.CPU.Seconds(), float64(best.PeakKB)/1024)
			}
			for _, p := range pairs {
				fmt.Fprintf(&b, " %s |", r.ratio(name, p.one, p.other))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

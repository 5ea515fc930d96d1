//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// largeContenders returns posix_file and scp, each with a large and with an empty file, over SSH
// and over SSH with a delay. The number of files is the size of the large file in MiB.
func largeContenders(ctx context.Context, e *engine, n *network) ([]contender, error) {
	s, err := e.build(ctx, "posix", ".", ".", false)
	if err != nil {
		return nil, err
	}
	var contenders []contender
	for _, r := range []route{n.near, n.far} {
		managed := func(name string, share int) contender {
			return contender{name: name, traffic: r.traffic, steps: func(dir string, mib int) []step {
				config := r.provider() + fmt.Sprintf("resource \"posix_file\" \"image\" {\n  host   = \"web\"\n  path   = %q\n  source = %q\n}\n", target(dir), source(dir))
				return largeStep(dir, share*mib, func() error { return s.writeConfig(dir, config) }, s.command(dir, "apply", "-auto-approve"))
			}}
		}
		copied := func(name string, share int) contender {
			return contender{name: name, traffic: r.traffic, steps: func(dir string, mib int) []step {
				return largeStep(dir, share*mib, func() error { return nil }, func(ctx context.Context) *exec.Cmd {
					return r.scp(ctx, source(dir), target(dir))
				})
			}}
		}
		contenders = append(contenders, managed(large(r), 1), copied(scp(r), 1), managed(emptyFile(r), 0), copied(emptySCP(r), 0))
	}
	return contenders, nil
}

func large(r route) string     { return "posix_file, " + r.name }
func emptyFile(r route) string { return "posix_file, empty file, " + r.name }
func scp(r route) string       { return "scp, " + r.name }
func emptySCP(r route) string  { return "scp, empty file, " + r.name }

// target returns the path of the large file on the host.
func target(dir string) string { return filepath.Join(filesDir(dir), "image") }

// largeStep returns the step that copies a file of mib MiB.
func largeStep(dir string, mib int, configure func() error, command func(context.Context) *exec.Cmd) []step {
	return []step{{
		name: apply, command: command,
		prepare: func() error {
			f, err := os.Create(source(dir))
			if err != nil {
				return err
			}
			for i := range mib {
				_, errWrite := f.Write(fileContent(1, i, 1<<20))
				err = errors.Join(err, errWrite)
			}
			return errors.Join(err, f.Close(), configure())
		},
		check: func(ctx context.Context) error {
			return exec.CommandContext(ctx, "cmp", source(dir), target(dir)).Run()
		},
	}}
}

// largeTable returns a table of the wall times and the rates compared to scp's.
func largeTable(_ []contender, results []result, roundTrip time.Duration) string {
	var b strings.Builder
	b.WriteString("Wall time in seconds, best of the runs; in brackets the number of connections that the server accepted. " + spreadNote + "\n\n" +
		"| size, route, runs | posix_file | empty file | scp | empty file | rate ÷ scp's rate | aim |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, r := range results {
		for _, line := range []route{{name: "loopback"}, {name: milliseconds(roundTrip)}} {
			fmt.Fprintf(&b, "| %d MiB, %s, %d× |", r.files, line.name, r.runs)
			for _, name := range []string{large(line), emptyFile(line), scp(line), emptySCP(line)} {
				fmt.Fprintf(&b, " %s |", r.cell(name, apply))
			}
			rate := r.spread(apply, func(c []cost) float64 { return (c[2].wall - c[3].wall).Seconds() / (c[0].wall - c[1].wall).Seconds() },
				large(line), emptyFile(line), scp(line), emptySCP(line))
			aim := "≥ 0.90"
			if rate.Median < 0.9 {
				aim += " (missed)"
			}
			fmt.Fprintf(&b, " %s | %s |\n", rate, aim)
		}
	}
	return b.String()
}

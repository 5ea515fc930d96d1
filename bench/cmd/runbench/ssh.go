//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// sshFile is the size of the files over SSH.
const sshFile = 1 << 10

// local is the name of the contender without SSH.
const local = "local"

// sshContenders returns posix_file locally, over SSH and over SSH with a delay; and, with
// that delay, tar, rsync and, if it is installed, Ansible. These tools have no state and do
// not sync to disk.
func sshContenders(ctx context.Context, e *engine, n *network) ([]contender, error) {
	s, err := e.build(ctx, "posix", ".", ".", true)
	if err != nil {
		return nil, err
	}
	managed := func(name, provider, host string, seen func() traffic) contender {
		return contender{name: name, traffic: seen, steps: func(dir string, n int) []step {
			config := provider + fileConfig("posix_file", filesDir(dir), n, sshFile, host)
			return named(s.life(dir, n, sshFile, config), apply, noop, update, destroy)
		}}
	}
	const host = "  host    = \"web\"\n"
	contenders := []contender{
		managed(local, "", "", nil),
		managed(n.near.name, n.near.provider(), host, n.near.traffic),
		managed(n.far.name, n.far.provider(), host, n.far.traffic),
		archive(n.far),
		synced(n.far),
	}
	if a := findAnsible(ctx, n.far); a != nil {
		contenders = append(contenders, ansibleFiles(a))
	}
	return contenders, nil
}

// version returns the directory with a version of all files.
func version(dir string, v int) string { return filepath.Join(dir, fmt.Sprintf("version-%d", v)) }

// writeVersions returns a function that writes all versions of n files. Version 0 has no
// files.
func writeVersions(dir string, n int) func() error {
	return func() error {
		for v, n := range []int{0, n, n} {
			if err := os.MkdirAll(version(dir, v), 0o755); err != nil {
				return err
			}
			for i := range n {
				if err := os.WriteFile(fileName(version(dir, v), i), fileContent(v, i, sshFile), 0o644); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// copied returns the named steps of a tool that copies the versions. command returns the
// command that copies version v in the named step.
func copied(dir string, n int, command func(ctx context.Context, name string, v int) *exec.Cmd, names ...string) []step {
	steps := map[string]step{}
	for name, v := range map[string]int{apply: 1, noop: 1, update: 2, destroy: 0} {
		steps[name] = step{
			command: func(ctx context.Context) *exec.Cmd { return command(ctx, name, v) },
			check:   checkFiles(filesDir(dir), v, n, sshFile),
		}
	}
	first := steps[apply]
	first.prepare = writeVersions(dir, n)
	steps[apply] = first
	return named(steps, names...)
}

// archive returns the contender that copies with tar over ssh.
func archive(r route) contender {
	return contender{name: "tar, ssh, " + r.name, traffic: r.traffic, steps: func(dir string, n int) []step {
		ssh := r.ssh() + " " + r.host
		return copied(dir, n, func(ctx context.Context, name string, v int) *exec.Cmd {
			// The paths come from this program and need no quoting.
			script := fmt.Sprintf("tar -C %s -cf - . | %s tar -C %s -xf -", version(dir, v), ssh, filesDir(dir))
			if name == destroy {
				script = fmt.Sprintf("%s find %s -type f -delete", ssh, filesDir(dir))
			}
			return exec.CommandContext(ctx, "sh", "-c", script)
		}, apply, update, destroy)
	}}
}

// synced returns the contender that copies with rsync over ssh.
func synced(r route) contender {
	return contender{name: "rsync, " + r.name, traffic: r.traffic, steps: func(dir string, n int) []step {
		return copied(dir, n, func(ctx context.Context, name string, v int) *exec.Cmd {
			return r.rsync(ctx, version(dir, v), filesDir(dir), map[string][]string{noop: {"--dry-run"}, destroy: {"--delete"}}[name]...)
		}, apply, noop, update, destroy)
	}}
}

// rsync returns a command that copies a directory to the route's host.
func (r *route) rsync(ctx context.Context, from, to string, args ...string) *exec.Cmd {
	args = append([]string{"-r", "--perms", "--checksum", "-e", r.ssh()}, args...)
	return exec.CommandContext(ctx, "rsync", append(args, from+"/", r.host+":"+to)...)
}

// aims has the maximum additional times of steps over SSH compared to local, by number of
// files, at a round-trip time of 20 ms.
var aims = []struct {
	step   string
	limits map[int]time.Duration
}{
	{apply, map[int]time.Duration{200: 1200 * time.Millisecond, 2000: 5500 * time.Millisecond}},
	{noop, map[int]time.Duration{200: 750 * time.Millisecond, 2000: 5 * time.Second}},
	{update, map[int]time.Duration{200: 1600 * time.Millisecond, 2000: 9500 * time.Millisecond}},
	{destroy, map[int]time.Duration{200: 1400 * time.Millisecond, 2000: 6 * time.Second}},
}

// sshTable returns a table of the results, the peak memory of the provider, and a chart for
// each result.
func sshTable(contenders []contender, results []result, roundTrip time.Duration) string {
	var b strings.Builder
	head, line := "| files, step, runs |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name+" |", line+"--:|"
	}
	far := milliseconds(roundTrip)
	tools := contenders[slices.IndexFunc(contenders, func(c contender) bool { return c.name == far })+1:]
	for _, tool := range tools {
		head, line = head+" "+strings.TrimSuffix(tool.name, ", "+far)+" ÷ "+far+" |", line+"--:|"
	}
	fmt.Fprintf(&b, "Wall time in seconds, best of the runs; in brackets the number of connections that the server accepted from all processes of the step. "+
		"The provider is started by a program that measures its memory; the times include that program. "+spreadNote+"\n\n"+
		"%s %s beyond local | aim |\n%s--:|--:|\n", head, far, line)
	for _, r := range results {
		for _, aim := range aims {
			fmt.Fprintf(&b, "| %d, %s, %d× |", r.files, aim.step, r.runs)
			for _, c := range contenders {
				fmt.Fprintf(&b, " %s |", r.cell(c.name, aim.step))
			}
			for _, tool := range tools {
				fmt.Fprintf(&b, " %s |", r.ratio(aim.step, tool.name, far))
			}
			beyond, wanted := r.difference(aim.step, far, local), ""
			if limit, aimed := aim.limits[r.files]; aimed {
				wanted = fmt.Sprintf("≤ %.2f", limit.Seconds())
				if beyond.Median > limit.Seconds() {
					wanted += " (missed)"
				}
			}
			fmt.Fprintf(&b, " %s | %s |\n", beyond, wanted)
		}
	}
	b.WriteString("\n" + memoryText(results, far))
	for _, r := range results {
		b.WriteString("\n" + r.chart(contenders))
	}
	return b.String()
}

// memoryAims has the limits for the peak memory of the provider over SSH, in MB, by number of
// files. The peak must be lower.
var memoryAims = map[int]float64{200: 40}

// memoryText returns a sentence with the largest peak memory of the provider in all steps of the
// contender.
func memoryText(results []result, contender string) string {
	var parts []string
	for _, r := range results {
		peak := float64(r.peakKB(contender)) / 1024
		part := fmt.Sprintf("%.1f MB with %d files", peak, r.files)
		if aim, aimed := memoryAims[r.files]; aimed {
			part += fmt.Sprintf(" (aim: less than %.0f", aim)
			if peak >= aim {
				part += ", missed"
			}
			part += ")"
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("Largest peak memory of the provider, %s: %s.\n", contender, strings.Join(parts, ", "))
}

func (r *result) cell(contender, step string) string {
	best, ok := r.best(contender, step)
	switch {
	case !ok:
		return "–"
	case best.connections == 0:
		return fmt.Sprintf("%.2f", best.wall.Seconds())
	default:
		return fmt.Sprintf("%.2f (%d)", best.wall.Seconds(), best.connections)
	}
}

// chart returns a chart with a bar for each wall time of the table, except those of slow
// contenders, next to which all other bars would be equally short.
func (r *result) chart(contenders []contender) string {
	const longestBar = 48
	contenders = slices.DeleteFunc(slices.Clone(contenders), func(c contender) bool { return c.maxRuns > 0 })
	var longest time.Duration
	width := 0
	for _, c := range contenders {
		width = max(width, len(c.name))
		for _, aim := range aims {
			best, _ := r.best(c.name, aim.step)
			longest = max(longest, best.wall)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "```text\n%d files of 1 KiB, seconds\n", r.files)
	for _, aim := range aims {
		fmt.Fprintf(&b, "\n%s\n", aim.step)
		for _, c := range contenders {
			if best, ok := r.best(c.name, aim.step); ok {
				bar := strings.Repeat("█", max(1, int(longestBar*best.wall/longest)))
				fmt.Fprintf(&b, "  %-*s %s %.2f\n", width, c.name, bar, best.wall.Seconds())
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

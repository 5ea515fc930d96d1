//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Names of contenders, and of the step that only trees have.
const (
	fullTree  = "posix_tree"
	emptyTree = "without files"
	rsync     = "rsync"

	updateSome = "update of 1 %"
)

const directories = 50

// treeContenders returns a posix_tree with files, one without, rsync, and Ansible if it is
// installed, all over SSH with a delay.
func treeContenders(ctx context.Context, e *engine, n *network) ([]contender, error) {
	s, err := e.build(ctx, "posix", ".", ".", false)
	if err != nil {
		return nil, err
	}
	r := n.far
	managed := func(name string, share int) contender {
		return contender{name: name, traffic: r.traffic, steps: func(dir string, n int) []step {
			config := r.provider() + fmt.Sprintf("resource \"posix_tree\" \"site\" {\n  host   = \"web\"\n  path   = %q\n  source = %q\n}\n", filesDir(dir), source(dir))
			return treeSteps(dir, share*n, func() error { return s.writeConfig(dir, config) },
				s.command(dir, "apply", "-auto-approve"), s.command(dir, "plan", "-detailed-exitcode"))
		}}
	}
	synced := contender{name: rsync, traffic: r.traffic, steps: func(dir string, n int) []step {
		command := func(args ...string) func(context.Context) *exec.Cmd {
			return func(ctx context.Context) *exec.Cmd { return r.rsync(ctx, source(dir), filesDir(dir), args...) }
		}
		return treeSteps(dir, n, func() error { return nil }, command(), command("--dry-run"))
	}}
	contenders := []contender{managed(fullTree, 1), synced, managed(emptyTree, 0)}
	if a := findAnsible(ctx, r, "ansible.posix"); a != nil {
		contenders = append(contenders, ansibleTree(a))
	}
	return contenders, nil
}

// source returns the path of the tree or large file that is copied.
func source(dir string) string { return filepath.Join(dir, "source") }

// treeSteps returns the steps for n files: all new, none changed, and one in a hundred
// changed. write returns the command that copies the tree, and preview the one that only
// reports changes.
func treeSteps(dir string, n int, configure func() error, write, preview func(context.Context) *exec.Cmd) []step {
	same := func(ctx context.Context) error {
		if output, err := exec.CommandContext(ctx, "diff", "-r", source(dir), filesDir(dir)).CombinedOutput(); err != nil {
			return fmt.Errorf("the directories differ: %w: %.500s", err, output)
		}
		return nil
	}
	return []step{
		{name: apply, command: write, check: same, prepare: func() error {
			if err := os.Remove(filesDir(dir)); err != nil { // the first apply creates it
				return err
			}
			if err := fill(source(dir), n, 1); err != nil {
				return err
			}
			return configure()
		}},
		{name: noop, command: preview, check: same},
		{name: updateSome, command: write, check: same, prepare: func() error { return fill(source(dir), n, 2) }},
	}
}

// fill writes n files below dir, or for version 2 only new content of every hundredth file.
func fill(dir string, n, version int) error {
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("directory-%d", i%directories), fmt.Sprintf("file-%d.html", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if version > 1 && i%100 != 0 {
			continue
		}
		content := fmt.Sprintf("version %d of file %d\n%s", version, i, strings.Repeat("0123456789abcde\n", 64+i%64))
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}

// treeTable returns a table of the measurements, and whether they meet the aims.
func treeTable(contenders []contender, results []result, roundTrip time.Duration) string {
	var b strings.Builder
	head, line := "| step |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name+" |", line+"--:|"
	}
	for _, r := range results {
		fmt.Fprintf(&b, "%d files of 1 to 2 KiB in %d directories, a round trip of %s. Wall time in seconds, the best of %d runs; in brackets the number of turns, which are changes in the direction of the traffic. %s\n\n",
			r.files, directories, milliseconds(roundTrip), r.runs, spreadNote)
		fmt.Fprintf(&b, "%s %s − %s |\n%s--:|\n", head, fullTree, emptyTree, line)
		for _, step := range []string{apply, noop, updateSome} {
			fmt.Fprintf(&b, "| %s |", step)
			for _, c := range contenders {
				best, _ := r.best(c.name, step)
				fmt.Fprintf(&b, " %.2f (%d) |", best.wall.Seconds(), best.turns)
			}
			fmt.Fprintf(&b, " %s |\n", r.difference(step, fullTree, emptyTree))
		}
		verdict := map[bool]string{true: "met", false: "**missed**"}
		ratio := r.spread(apply, func(c []cost) float64 { return (c[0].wall - c[1].wall).Seconds() / c[2].wall.Seconds() }, fullTree, emptyTree, rsync)
		fmt.Fprintf(&b, "\n- Beyond the time of a tree without files, the first apply takes %s × rsync's time. The aim of at most 1.3 × is %s.\n", ratio, verdict[ratio.Median <= 1.3])
		beyond := r.difference(noop, fullTree, emptyTree)
		fmt.Fprintf(&b, "- Beyond the time of a tree without files, a plan with no changes takes %s s. The aim of at most 2 s is %s.\n", beyond, verdict[beyond.Median <= 2])
	}
	return b.String()
}

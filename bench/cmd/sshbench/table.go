package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// aims are how long a step may take at most beyond what the same step needs on
// this machine, with 200 files at a round trip of 20 ms.
var aims = []struct {
	step  string
	limit time.Duration
}{
	{apply, 2 * time.Second},
	{noop, time.Second},
	{update, 3 * time.Second},
	{destroy, 3 * time.Second / 2},
}

const aimedFiles = 200

// result is all runs with one number of files.
type result struct {
	plan
	// byName has the measurements by contender and step.
	byName map[string]map[string][]taken
}

func newResult(p plan, contenders []contender) result {
	r := result{plan: p, byName: make(map[string]map[string][]taken)}
	for _, c := range contenders {
		r.byName[c.name()] = make(map[string][]taken)
	}
	return r
}

func (r *result) add(contender string, l life) {
	for _, t := range l {
		r.byName[contender][t.name] = append(r.byName[contender][t.name], t)
	}
}

// best is the shortest run, for what disturbs one only ever adds to it.
func (r *result) best(contender, step string) (taken, bool) {
	runs := r.byName[contender][step]
	if len(runs) == 0 {
		return taken{}, false
	}
	return slices.MinFunc(runs, func(a, b taken) int { return int(a.wall - b.wall) }), true
}

// beyond is how much longer a step takes on one way than on another.
func (r *result) beyond(far, local, step string) time.Duration {
	a, _ := r.best(far, step)
	b, _ := r.best(local, step)
	return max(a.wall-b.wall, 0)
}

// markdown is a table and a chart.
func markdown(n *network, contenders []contender, results []result) string {
	var b strings.Builder
	head, line := "| files, step, runs |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name()+" |", line+"--:|"
	}
	far := n.far.name
	fmt.Fprintf(&b, "Wall time in seconds, best of the runs; in brackets the connections that the server has seen, over all processes of the step.\n\n"+
		"%s %s beyond local | aim |\n%s--:|--:|\n", head, far, line)
	for _, r := range results {
		for _, aim := range aims {
			fmt.Fprintf(&b, "| %d, %s, %d× |", r.files, aim.step, r.runs)
			for _, c := range contenders {
				fmt.Fprintf(&b, " %s |", r.cell(c.name(), aim.step))
			}
			beyond, wanted := r.beyond(far, n.local.name, aim.step), ""
			if r.files == aimedFiles {
				wanted = fmt.Sprintf("≤ %.1f", aim.limit.Seconds())
				if beyond > aim.limit {
					wanted += " (missed)"
				}
			}
			fmt.Fprintf(&b, " %.2f | %s |\n", beyond.Seconds(), wanted)
		}
	}
	for _, r := range results {
		b.WriteString("\n" + r.chart(contenders))
	}
	return b.String()
}

func (r *result) cell(contender, step string) string {
	t, ok := r.best(contender, step)
	switch {
	case !ok:
		return "–"
	case t.connections == 0:
		return fmt.Sprintf("%.2f", t.wall.Seconds())
	default:
		return fmt.Sprintf("%.2f (%d)", t.wall.Seconds(), t.connections)
	}
}

const widest = 48

// chart has a bar for each number of the table.
func (r *result) chart(contenders []contender) string {
	var longest time.Duration
	wide := 0
	for _, c := range contenders {
		wide = max(wide, len(c.name()))
		for _, aim := range aims {
			t, _ := r.best(c.name(), aim.step)
			longest = max(longest, t.wall)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "```text\n%d files of 1 KiB, seconds\n", r.files)
	for _, aim := range aims {
		fmt.Fprintf(&b, "\n%s\n", aim.step)
		for _, c := range contenders {
			if t, ok := r.best(c.name(), aim.step); ok {
				bar := strings.Repeat("█", max(1, int(widest*t.wall/longest)))
				fmt.Fprintf(&b, "  %-*s %s %.2f\n", wide, c.name(), bar, t.wall.Seconds())
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

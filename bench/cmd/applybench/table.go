//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// result is all runs with one number of files.
type result struct {
	files int
	// phases are the names in order, runs the measurements by contender and
	// phase.
	phases []string
	runs   map[string]map[string][]phase
}

func newResult(files int, contenders []contender) result {
	r := result{files: files, runs: make(map[string]map[string][]phase)}
	for _, c := range contenders {
		r.runs[c.name] = make(map[string][]phase)
	}
	return r
}

func (r *result) add(contender string, run phases) {
	for _, p := range run {
		if !slices.Contains(r.phases, p.name) {
			r.phases = append(r.phases, p.name)
		}
		r.runs[contender][p.name] = append(r.runs[contender][p.name], p)
	}
}

// median has the medians of times and the largest peak of memory.
func (r *result) median(contender, name string) phase {
	runs := r.runs[contender][name]
	out := phase{name: name}
	var walls, cpus []time.Duration
	for _, p := range runs {
		walls, cpus = append(walls, p.wall), append(cpus, p.CPU)
		out.PeakKB = max(out.PeakKB, p.PeakKB)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	out.wall, out.CPU = walls[len(walls)/2], cpus[len(cpus)/2]
	return out
}

func markdown(contenders []contender, results []result) string {
	var b strings.Builder
	head, line := "| files, command |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name+" |", line+"--:|"
	}
	compared := slices.ContainsFunc(contenders, func(c contender) bool { return c.name == "floor" })
	if compared {
		for _, c := range contenders {
			if c.name != "floor" {
				head, line = head+" "+c.name+" ÷ floor |", line+"--:|"
			}
		}
	}
	fmt.Fprintf(&b, "Wall time in seconds (processor seconds of the provider, its peak memory in MB).\n\n%s\n%s\n", head, line)
	for _, r := range results {
		for _, name := range r.phases {
			fmt.Fprintf(&b, "| %d, %s |", r.files, name)
			for _, c := range contenders {
				p := r.median(c.name, name)
				fmt.Fprintf(&b, " %.2f (%.2f, %.0f) |", p.wall.Seconds(), p.CPU.Seconds(), float64(p.PeakKB)/1024)
			}
			if compared {
				floor := r.median("floor", name).wall.Seconds()
				for _, c := range contenders {
					if c.name != "floor" {
						fmt.Fprintf(&b, " %.2f |", r.median(c.name, name).wall.Seconds()/floor)
					}
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

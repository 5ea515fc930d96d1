//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"
)

// result is all runs with one number of files.
type result struct {
	plan
	// phases are the names in order, byName the measurements by contender and
	// phase.
	phases []string
	byName map[string]map[string][]phase
}

func newResult(p plan, contenders []contender) result {
	r := result{plan: p, byName: make(map[string]map[string][]phase)}
	for _, c := range contenders {
		r.byName[c.name] = make(map[string][]phase)
	}
	return r
}

func (r *result) add(contender string, run phases) {
	for _, p := range run {
		if !slices.Contains(r.phases, p.name) {
			r.phases = append(r.phases, p.name)
		}
		r.byName[contender][p.name] = append(r.byName[contender][p.name], p)
	}
}

// best has the smallest times, for what disturbs a run only ever adds to it,
// and the largest peak of memory.
func (r *result) best(contender, name string) phase {
	runs := r.byName[contender][name]
	out := runs[0]
	for _, p := range runs[1:] {
		out.wall, out.engine, out.CPU = min(out.wall, p.wall), min(out.engine, p.engine), min(out.CPU, p.CPU)
		out.PeakKB = max(out.PeakKB, p.PeakKB)
	}
	return out
}

func markdown(contenders []contender, results []result) string {
	var b strings.Builder
	pairs := pairsOf(contenders)
	head, line := "| command, runs |", "|---|"
	for _, c := range contenders {
		head, line = head+" "+c.name+" |", line+"--:|"
	}
	for _, p := range pairs {
		head, line = head+" "+p.one+" ÷ "+p.other+" |", line+"--:|"
	}
	fmt.Fprintf(&b, "Wall time in seconds (processor seconds of the engine + the provider, the provider's largest peak memory in MB), best of the runs.\n\n%s\n%s\n", head, line)
	for _, r := range results {
		for _, name := range r.phases {
			fmt.Fprintf(&b, "| %d files, %s, %d× |", r.files, name, r.runs)
			for _, c := range contenders {
				fmt.Fprintf(&b, " %s |", r.best(c.name, name).cost())
			}
			for _, p := range pairs {
				fmt.Fprintf(&b, " %.2f |", r.best(p.one, name).wall.Seconds()/r.best(p.other, name).wall.Seconds())
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// pair is a ratio of wall times.
type pair struct{ one, other string }

// pairsOf are the ratios that say something: to the floor, and for our own
// provider to its twin too, which has the same schema.
func pairsOf(contenders []contender) []pair {
	has := func(name string) bool {
		return slices.ContainsFunc(contenders, func(c contender) bool { return c.name == name })
	}
	var pairs []pair
	for _, c := range contenders {
		if c.name != "floor" && has("floor") {
			pairs = append(pairs, pair{c.name, "floor"})
		}
	}
	if has("ours") && has("twin") {
		pairs = append(pairs, pair{"ours", "twin"})
	}
	return pairs
}

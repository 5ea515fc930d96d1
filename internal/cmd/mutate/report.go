package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// report has the outcomes of all packages; it is the content of the file of -json.
type report struct {
	Seed     int             `json:"seed"`
	Short    bool            `json:"short"`
	Packages []packageReport `json:"packages"`
}

type packageReport struct {
	Package string   `json:"package"`
	Mutants int      `json:"mutants"` // Results are a sample of these
	Results []result `json:"results"`
}

func readReport(path string) (*report, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &r, nil
}

func (r *report) write(path string) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}

func (r *report) packages() []string {
	var names []string
	for _, p := range r.Packages {
		names = append(names, p.Package)
	}
	return names
}

// survivorsAmong returns those of the mutants of a package that survived according
// to r, and the number of survivors in r that are not among them.
func (r *report) survivorsAmong(pkg string, mutants []mutant) (found []mutant, gone int) {
	survivors := map[string]bool{}
	for _, p := range r.Packages {
		for i := range p.Results {
			if p.Package == pkg && p.Results[i].Outcome == survived {
				survivors[p.Results[i].id()] = true
			}
		}
	}
	for _, m := range mutants {
		if survivors[m.id()] {
			found = append(found, m)
		}
	}
	return found, len(survivors) - len(found)
}

// print writes a table of the packages, and the survivors.
func (r *report) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "package\tmutants\tkilled\tsurvived\tshare")
	for _, p := range r.Packages {
		n, lived := 0, 0
		for i := range p.Results {
			switch p.Results[i].Outcome {
			case killed, timedOut:
				n++
			case survived:
				lived++
			case notCompiling:
			}
		}
		share := "-"
		if n+lived > 0 {
			share = fmt.Sprintf("%.1f %%", 100*float64(n)/float64(n+lived))
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%s\n", p.Package, n+lived, n, lived, share)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, p := range r.Packages {
		for i := range p.Results {
			if p.Results[i].Outcome == survived {
				fmt.Fprintln(out, &p.Results[i].mutant)
			}
		}
	}
	return nil
}

//go:build linux

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/posixform/terraform-provider-posix/bench/shapes"
)

// shapeContenders returns a contender for each resource type of package shapes.
func shapeContenders(ctx context.Context, e *engine, _ *network) ([]contender, error) {
	s, err := e.build(ctx, "bench", "bench", "./cmd/shapeserver", true)
	if err != nil {
		return nil, err
	}
	s.env = append(s.env, protocolLogOff...)
	var out []contender
	for i, shape := range shapes.All() {
		out = append(out, contender{name: shape.Name, steps: func(dir string, n int) []step {
			config := fmt.Sprintf("resource %q \"file\" {\n  count   = %d\n  path    = \"%s/file-${count.index}\"\n"+
				"  content = format(\"%%-%ds\\n\", \"content of file ${count.index}\")\n%s}\n",
				shapes.TypeName(i), n, filesDir(dir), smallFile-1, shape.Config)
			return []step{
				{
					name: apply, command: s.command(dir, "apply", "-auto-approve"),
					prepare: func() error { return s.writeConfig(dir, config) },
					check:   checkInstances(dir, n),
				},
				{name: noop, command: s.command(dir, "plan", "-detailed-exitcode"), check: checkInstances(dir, n)},
			}
		}})
	}
	return out, nil
}

// checkInstances returns a function that returns an error unless the state in dir has n
// instances.
func checkInstances(dir string, n int) func(context.Context) error {
	return func(context.Context) error {
		b, err := os.ReadFile(filepath.Join(dir, "terraform.tfstate"))
		if err != nil {
			return err
		}
		if found := bytes.Count(b, []byte(`"index_key"`)); found != n {
			return fmt.Errorf("got %d instances, want %d, in the state", found, n)
		}
		return nil
	}
}

// shapesTable returns a table with a row for each shape, with the engine's CPU time.
func shapesTable(contenders []contender, results []result, _ time.Duration) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "CPU seconds of the engine for one block of %d objects, best of %d, and the ratio to the first row. %s\n\n", r.files, r.runs, spreadNote)
		b.WriteString("| object | apply | ratio | plan, no-op | ratio |\n|---|--:|--:|--:|--:|\n")
		for _, c := range contenders {
			fmt.Fprintf(&b, "| %s |", c.name)
			for _, name := range []string{apply, noop} {
				best, _ := r.best(c.name, name)
				ratio := r.spread(name, func(c []cost) float64 { return c[0].engine().Seconds() / c[1].engine().Seconds() }, c.name, contenders[0].name)
				fmt.Fprintf(&b, " %.1f | %s |", best.engine().Seconds(), ratio)
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

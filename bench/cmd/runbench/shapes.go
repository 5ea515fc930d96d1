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

// shapeContenders are resource types that differ in their shape.
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

// checkInstances returns an error unless the state in dir has n instances.
func checkInstances(dir string, n int) func(context.Context) error {
	return func(context.Context) error {
		b, err := os.ReadFile(filepath.Join(dir, "terraform.tfstate"))
		if err != nil {
			return err
		}
		if found := bytes.Count(b, []byte(`"index_key"`)); found != n {
			return fmt.Errorf("%d instances instead of %d in the state", found, n)
		}
		return nil
	}
}

// shapesTable has a row for each shape, with the engine's processor time.
func shapesTable(contenders []contender, results []result, _ time.Duration) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "Processor seconds of the engine for one block of %d objects, best of %d; in brackets the ratio to the first row.\n\n", r.files, r.runs)
		b.WriteString("| object | apply | plan, no-op |\n|---|--:|--:|\n")
		first := r.best[contenders[0].name]
		for _, c := range contenders {
			fmt.Fprintf(&b, "| %s |", c.name)
			for _, name := range []string{apply, noop} {
				took := r.best[c.name][name].engine().Seconds()
				fmt.Fprintf(&b, " %.1f (%.2f) |", took, took/first[name].engine().Seconds())
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	return b.String()
}

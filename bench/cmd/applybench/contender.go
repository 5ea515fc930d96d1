//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// contender is one provider with real files.
type contender struct {
	name string
	// pkg is the package to build, from root.
	root, pkg string
	args      string
	// provider and resource are the local provider name and the resource type.
	provider, resource string
	// quiet has protocol logging switched off from outside.
	quiet bool

	// overrides is the CLI configuration that leads the engine to the provider,
	// command what the wrapper starts.
	overrides, command string
}

// quiet is what the provider under test does by itself: no protocol logs that
// nobody asked for.
var quietEnv = []string{"TF_LOG_SDK=off", "TF_LOG_SDK_PROTO=off"}

func all(repo string) []contender {
	module := filepath.Join(repo, "bench")
	baseline := contender{root: module, provider: "bench", resource: "bench_file"}
	with := func(name, pkg, args string, quiet bool) contender {
		c := baseline
		c.name, c.pkg, c.args, c.quiet = name, pkg, args, quiet
		return c
	}
	return []contender{
		with("floor", "./cmd/floorserver", "", true),
		with("floor-logs", "./cmd/floorserver", "", false),
		with("floor-plain", "./cmd/floorserver", "-plain", true),
		with("framework", "./cmd/frameworkserver", "", false),
		with("framework-quiet", "./cmd/frameworkserver", "", true),
		with("runtime", "./cmd/runtimeserver", "", true),
		{name: "twin", root: module, pkg: "./cmd/twinserver", provider: "posix", resource: "posix_file", quiet: true},
		{name: "ours", root: repo, pkg: ".", provider: "posix", resource: "posix_file"},
	}
}

// everyone selects all contenders.
const everyone = "all"

// known returns the names of all contenders.
func known() []string {
	var names []string
	for _, c := range all("") {
		names = append(names, c.name)
	}
	return names
}

// prepare builds the providers and puts this program in their places.
func prepare(ctx context.Context, repo, scratch string, names []string) ([]contender, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if slices.Equal(names, []string{everyone}) {
		names = known()
	}
	programs := filepath.Join(scratch, "programs")
	var out []contender
	for _, name := range names {
		choices := all(repo)
		i := slices.IndexFunc(choices, func(c contender) bool { return c.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no contender %q; there are %v", name, known())
		}
		c := choices[i]
		if err := c.prepare(ctx, filepath.Join(scratch, name), programs, self); err != nil {
			return nil, fmt.Errorf("prepare %s: %w", name, err)
		}
		out = append(out, c)
	}
	return out, nil
}

func (c *contender) prepare(ctx context.Context, dir, programs, self string) error {
	place := filepath.Join(dir, "overrides")
	if err := os.MkdirAll(place, 0o755); err != nil {
		return err
	}
	binary, err := c.build(ctx, programs)
	if err != nil {
		return err
	}
	c.command = binary + " " + c.args
	if err := os.Symlink(self, filepath.Join(place, "terraform-provider-"+c.provider)); err != nil {
		return err
	}
	c.overrides = filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"posixform/%s\" = %q\n  }\n  direct {}\n}\n", c.provider, place)
	return os.WriteFile(c.overrides, []byte(text), 0o600)
}

// build returns the path of the provider in programs. Several contenders are the
// same program, which is built once.
func (c *contender) build(ctx context.Context, programs string) (string, error) {
	binary := filepath.Join(programs, filepath.Base(filepath.Join(c.root, c.pkg)))
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, c.pkg)
	build.Dir = c.root
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("go build %s in %s: %w", c.pkg, c.root, err)
	}
	return binary, nil
}

// configuration declares n files below dir.
func (c *contender) configuration(dir string, n int) string {
	return fmt.Sprintf(`terraform {
  required_providers {
    %[1]s = {
      source = "posixform/%[1]s"
    }
  }
}

resource "%[2]s" "file" {
  count   = %[3]d
  path    = "%[4]s/file-${count.index}"
  content = "content of file ${count.index}\n"
}
`, c.provider, c.resource, n, dir)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// engine is OpenTofu with the provider of this repository.
type engine struct {
	cli       tfcli.CLI
	overrides string // the CLI configuration that leads to the provider
}

func newEngine(ctx context.Context, scratch string) (*engine, error) {
	cli, _, err := tfcli.FromEnvironment().Find(ctx)
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	repo, ok := tfcli.RepositoryRoot(here)
	if !ok {
		return nil, errors.New("run it inside the repository: the provider is built from there")
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(scratch, "terraform-provider-posix"), ".")
	build.Dir, build.Stderr = repo, os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go build in %s: %w", repo, err)
	}
	e := &engine{cli: cli, overrides: filepath.Join(scratch, "cli.tfrc")}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"posixform/posix\" = %q\n  }\n  direct {}\n}\n", scratch)
	return e, os.WriteFile(e.overrides, []byte(text), 0o600)
}

// on is the engine as a contender.
func (e *engine) on(w way) contender { return &managed{engine: e, way: w} }

// managed are files that the engine has in its state.
type managed struct {
	*engine
	way way
}

func (m *managed) name() string { return m.way.name }

func (m *managed) seen() traffic { return m.way.seen() }

func (m *managed) steps(dir, files string, n int) []step {
	command := func(name string, args ...string) func(ctx context.Context, version int) *exec.Cmd {
		return func(ctx context.Context, version int) *exec.Cmd {
			args := append([]string{name, "-no-color", "-input=false", fmt.Sprintf("-var=v=%d", version)}, args...)
			cmd := exec.CommandContext(ctx, m.cli.Path, args...)
			cmd.Dir = dir
			cmd.Env = tfcli.Environ(os.Environ(), m.overrides)
			return cmd
		}
	}
	prepare := func() error {
		return os.WriteFile(filepath.Join(dir, "main.tf"), []byte(m.configuration(files, n)), 0o600)
	}
	return []step{
		{name: apply, prepare: prepare, command: command("apply", "-auto-approve"), version: 1},
		// With -detailed-exitcode a plan that has something to do is an error here.
		{name: noop, command: command("plan", "-detailed-exitcode"), version: 1},
		{name: update, command: command("apply", "-auto-approve"), version: 2},
		{name: destroy, command: command("destroy", "-auto-approve")},
	}
}

// configuration declares n files of [content] below dir.
func (m *managed) configuration(dir string, n int) string {
	var hosts, host string
	if w := m.way; w.host != "" {
		host = "  host    = \"web\"\n"
		hosts = fmt.Sprintf(`
provider "posix" {
  ssh_config = "none"
  hosts = {
    web = {
      address          = %q
      port             = %s
      user             = %q
      private_key_path = %q
      host_key         = [%q]
    }
  }
}
`, w.host, w.port, w.user, w.key, strings.TrimSpace(w.hostKey))
	}
	return fmt.Sprintf(`terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

variable "v" {
  type = number
}
%s
resource "posix_file" "file" {
  count   = %d
%s  path    = "%s/file-${count.index}"
  content = format("%%-%ds\n", "version ${var.v} of file ${count.index}")
}
`, hosts, n, host, dir, size-1)
}

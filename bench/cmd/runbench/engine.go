//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// engine is OpenTofu or Terraform with the providers built for it.
type engine struct {
	cli     tfcli.CLI
	scratch string
	repo    string
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
		return nil, errors.New("the working directory is not in the repository, from which the providers are built: start the program in the repository")
	}
	return &engine{cli: cli, scratch: scratch, repo: repo}, nil
}

// server is a provider that the engine starts.
type server struct {
	*engine

	provider string // its local name
	env      []string
}

// build builds a provider and returns it as a server. If wrapped is set, the engine starts
// this program instead, as a wrapper of the provider.
func (e *engine) build(ctx context.Context, provider, module, pkg string, wrapped bool) (*server, error) {
	dir := filepath.Join(e.scratch, "provider-"+filepath.Base(pkg))
	binary, overrides := filepath.Join(dir, "provider"), filepath.Join(dir, "cli.tfrc")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, pkg)
	build.Dir, build.Stderr = filepath.Join(e.repo, module), os.Stderr
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("go build %s in %s: %w", pkg, build.Dir, err)
	}
	program := binary
	if wrapped {
		var err error
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"posixform/%s\" = %q\n  }\n  direct {}\n}\n", provider, dir)
	err := errors.Join(os.Symlink(program, filepath.Join(dir, "terraform-provider-"+provider)), os.WriteFile(overrides, []byte(text), 0o600))
	return &server{engine: e, provider: provider, env: append(tfcli.Environ(os.Environ(), overrides), wrapEnv+"="+binary)}, err
}

// command returns a function that returns a command of the engine, which runs in dir.
func (s *server) command(dir string, args ...string) func(context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, s.cli.Path, append(args, "-no-color", "-input=false")...)
		cmd.Dir, cmd.Env = dir, append([]string(nil), s.env...)
		return cmd
	}
}

// writeConfig writes a configuration that requires the provider.
func (s *server) writeConfig(dir, text string) error {
	required := fmt.Sprintf("terraform {\n  required_providers {\n    %[1]s = {\n      source = \"posixform/%[1]s\"\n    }\n  }\n}\n\n", s.provider)
	return os.WriteFile(filepath.Join(dir, "main.tf"), []byte(required+text), 0o600)
}

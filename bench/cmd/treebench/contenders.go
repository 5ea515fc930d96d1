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

// The steps, and who does them.
const (
	apply  = "first apply"
	noop   = "plan, no-op"
	update = "update of 1 %"

	full  = "posix_tree"
	empty = "without files"
	rival = "rsync"
)

type contender struct {
	name  string
	steps []step
}

// step is one command, which makes the folder to what the source is.
type step struct {
	name       string
	prepare    func() error
	command    func(ctx context.Context) *exec.Cmd
	source, to string
}

func (w *world) contenders() []contender {
	return []contender{w.managed(full, w.o.files), w.synced(), w.managed(empty, 0)}
}

// begin makes a source with n files, and nothing of what it is brought to.
func (w *world) begin(source, to string, n int) func() error {
	return func() error {
		return errors.Join(os.RemoveAll(source), os.RemoveAll(to), os.RemoveAll(w.at("work")), os.MkdirAll(w.at("work"), 0o700), fill(source, n, 1))
	}
}

// managed is a tree that OpenTofu has in its state.
func (w *world) managed(name string, n int) contender {
	source, to := w.at("source"), w.at("there")
	tofu := func(args ...string) func(ctx context.Context) *exec.Cmd {
		return func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, w.cli.Path, append(args, "-no-color", "-input=false")...)
			cmd.Dir, cmd.Env = w.at("work"), tfcli.Environ(os.Environ(), w.at("cli.tfrc"))
			return cmd
		}
	}
	prepare := func() error {
		return errors.Join(w.begin(source, to, n)(), os.WriteFile(filepath.Join(w.at("work"), "main.tf"), []byte(w.configuration(source, to)), 0o600))
	}
	return contender{name, []step{
		{apply, prepare, tofu("apply", "-auto-approve"), source, to},
		// With -detailed-exitcode a plan that has something to do is an error here.
		{noop, func() error { return nil }, tofu("plan", "-detailed-exitcode"), source, to},
		{update, func() error { return fill(source, n, 2) }, tofu("apply", "-auto-approve"), source, to},
	}}
}

func (w *world) configuration(source, to string) string {
	host, port := w.address()
	return fmt.Sprintf(`terraform {
  required_providers {
    posix = {
      source = "posixform/posix"
    }
  }
}

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

resource "posix_tree" "site" {
  host   = "web"
  path   = %q
  source = %q
}
`, host, port, w.user, w.at("id"), w.hostKey, to, source)
}

// synced is rsync through ssh. It knows no state and waits for no disk.
func (w *world) synced() contender {
	source, to := w.at("source"), w.at("there")
	host, port := w.address()
	ssh := strings.Join([]string{
		"ssh", "-F", "none", "-i", w.at("id"), "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes",
		"-o", "StrictHostKeyChecking=yes", "-o", "UserKnownHostsFile=" + w.at("known_hosts"), "-p", port, "-l", w.user,
	}, " ")
	rsync := func(args ...string) func(ctx context.Context) *exec.Cmd {
		return func(ctx context.Context) *exec.Cmd {
			args := append([]string{"-r", "--perms", "--checksum", "-e", ssh}, args...)
			return exec.CommandContext(ctx, "rsync", append(args, source+"/", host+":"+to)...)
		}
	}
	return contender{rival, []step{
		{apply, w.begin(source, to, w.o.files), rsync(), source, to},
		{noop, func() error { return nil }, rsync("--dry-run"), source, to},
		{update, func() error { return fill(source, w.o.files, 2) }, rsync(), source, to},
	}}
}

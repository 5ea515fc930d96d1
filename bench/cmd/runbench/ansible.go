//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ansible is Ansible with the settings that are fastest for one host: pipelining, one
// control connection for each run, one fork, no facts and no search for Python.
type ansible struct {
	route

	version string
}

// findAnsible returns the installed Ansible. If Ansible or one of the collections cannot be found,
// findAnsible prints a message and returns nil.
func findAnsible(ctx context.Context, r route, collections ...string) *ansible {
	home, err := os.MkdirTemp("", "ansible-") // instead of the user's ~/.ansible, as for the playbooks
	if err != nil {
		fmt.Fprintf(os.Stderr, "Ansible is left out: %v\n", err)
		return nil
	}
	defer func() { _ = os.RemoveAll(home) }()
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "ANSIBLE_HOME="+home)
		return cmd.Output()
	}
	output, err := run("ansible-playbook", "--version")
	for _, c := range collections {
		if err == nil {
			_, err = run("ansible-galaxy", "collection", "list", c)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "Ansible is left out: %v. Install Debian's package ansible, which includes the collections.\n", err)
		return nil
	}
	version, _, _ := strings.Cut(string(output), "\n")
	return &ansible{route: r, version: version}
}

// contender returns the contender with these steps.
func (a *ansible) contender(steps func(dir string, n int) []step) contender {
	return contender{name: "Ansible, " + a.name, about: a.version, traffic: a.traffic, steps: steps}
}

// configure writes the settings, the inventory, and a playbook for each task by name.
func (a *ansible) configure(dir string, tasks map[string]string) error {
	private := filepath.Join(dir, "ansible")
	if err := os.MkdirAll(private, 0o700); err != nil {
		return err
	}
	settings := fmt.Sprintf(`[defaults]
home = %[1]s
inventory = %[1]s/inventory
local_tmp = %[1]s/local
remote_tmp = %[1]s/remote
forks = 1
gathering = explicit

[ssh_connection]
pipelining = true
ssh_args = -F none -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=%[2]s -o ControlMaster=auto -o ControlPersist=60s -o ControlPath=%[3]s
`, private, a.knownHosts, controlPath(dir))
	inventory := fmt.Sprintf("web ansible_host=%s ansible_port=%s ansible_user=%s ansible_ssh_private_key_file=%s ansible_python_interpreter=/usr/bin/python3\n",
		a.host, a.port, a.user, a.key)
	errs := []error{
		os.WriteFile(filepath.Join(private, "ansible.cfg"), []byte(settings), 0o600),
		os.WriteFile(filepath.Join(private, "inventory"), []byte(inventory), 0o600),
	}
	for name, task := range tasks {
		playbook := "- hosts: web\n  gather_facts: false\n  tasks:\n" + task
		errs = append(errs, os.WriteFile(filepath.Join(private, name+".yml"), []byte(playbook), 0o600))
	}
	return errors.Join(errs...)
}

func controlPath(dir string) string { return filepath.Join(dir, "ansible", "control") }

// play returns a command that runs a playbook.
func (a *ansible) play(ctx context.Context, dir, playbook string, args ...string) *exec.Cmd {
	private := filepath.Join(dir, "ansible")
	cmd := exec.CommandContext(ctx, "ansible-playbook", append(args, filepath.Join(private, playbook+".yml"))...)
	cmd.Env = append(os.Environ(), "ANSIBLE_CONFIG="+filepath.Join(private, "ansible.cfg"), "LC_ALL=C.UTF-8")
	return cmd
}

// complete adds the checks that all steps of Ansible have in common. The output must report
// one changed task, or none for noop. The check ends the control connection of the run, so
// that each run opens its own connection, like those of the other contenders.
func (a *ansible) complete(dir string, steps []step) []step {
	for i := range steps {
		s := &steps[i]
		changed := []byte("changed=1 ")
		if s.name == noop {
			changed = []byte("changed=0 ")
		}
		s.output = func(output []byte) error {
			if !bytes.Contains(output, changed) {
				return fmt.Errorf("the output lacks %q", changed)
			}
			return nil
		}
		check := s.check
		s.check = func(ctx context.Context) error {
			// The module synchronize opens and closes its own connection.
			if _, err := os.Stat(controlPath(dir)); err != nil {
				return check(ctx)
			}
			disconnect := exec.CommandContext(ctx, "ssh", "-F", "none", "-o", "ControlPath="+controlPath(dir), "-O", "exit", a.host)
			output, err := disconnect.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("end the control connection: %w: %s", err, output)
			}
			return errors.Join(err, check(ctx))
		}
	}
	return steps
}

// ansibleUpTo is the largest number of files that Ansible copies, because it needs several
// round trips for each file.
const ansibleUpTo = 200

// ansibleFiles returns the contender that copies and removes the files in loops with an
// item for each file. A step takes minutes, so it is measured once.
func ansibleFiles(a *ansible) contender {
	c := a.contender(func(dir string, n int) []step {
		if n > ansibleUpTo {
			return nil
		}
		loop := fmt.Sprintf("      loop: \"{{ range(%d) | list }}\"\n", n)
		tasks := map[string]string{
			"copy": fmt.Sprintf("    - ansible.builtin.copy:\n        src: \"{{ source }}/file-{{ item }}\"\n        dest: \"%s/file-{{ item }}\"\n        mode: \"0644\"\n",
				filesDir(dir)) + loop,
			"remove": fmt.Sprintf("    - ansible.builtin.file:\n        path: \"%s/file-{{ item }}\"\n        state: absent\n", filesDir(dir)) + loop,
		}
		steps := copied(dir, n, func(ctx context.Context, name string, v int) *exec.Cmd {
			playbook, args := "copy", []string{"--extra-vars", "source=" + version(dir, v)}
			switch name {
			case noop:
				args = append(args, "--check")
			case destroy:
				playbook = "remove"
			}
			return a.play(ctx, dir, playbook, args...)
		}, apply, noop, update, destroy)
		write := steps[0].prepare
		steps[0].prepare = func() error { return errors.Join(write(), a.configure(dir, tasks)) }
		return a.complete(dir, steps)
	})
	c.maxRuns = 1
	return c
}

// ansibleTree returns the contender that copies a directory with the module synchronize,
// which also runs rsync with --recursive, --perms and --checksum.
func ansibleTree(a *ansible) contender {
	return a.contender(func(dir string, n int) []step {
		task := fmt.Sprintf(`    - ansible.posix.synchronize:
        src: %s/
        dest: %s
        archive: false
        recursive: true
        perms: true
        checksum: true
        compress: false
        use_ssh_args: true
`, source(dir), filesDir(dir))
		command := func(args ...string) func(context.Context) *exec.Cmd {
			return func(ctx context.Context) *exec.Cmd { return a.play(ctx, dir, "copy", args...) }
		}
		configure := func() error { return a.configure(dir, map[string]string{"copy": task}) }
		return a.complete(dir, treeSteps(dir, n, configure, command(), command("--check")))
	})
}

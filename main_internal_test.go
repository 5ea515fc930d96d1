package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/posixform/terraform-provider-posix/acctest"
	"github.com/posixform/terraform-provider-posix/internal/tfcli"
)

// envServe is the environment variable that makes this test binary run as the provider.
const envServe = "POSIX_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		main()
		return
	}
	m.Run()
}

// self returns a command that runs this binary as the provider, without the environment of
// this process, such as its settings for logs.
func self(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{envServe + "=1", "GORACE=atexit_sleep_ms=0", "TMPDIR=" + os.TempDir()}
	cmd.Stderr = os.Stderr
	return cmd
}

// start starts the command. It returns the first match of line in the standard output, and a function
// that waits for the end of the process and returns its error.
func start(t *testing.T, cmd *exec.Cmd, line *regexp.Regexp) (match []string, wait func() error) {
	t.Helper()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(stdout)
	for scanner.Scan() {
		if match = line.FindStringSubmatch(scanner.Text()); match != nil {
			return match, func() error {
				_, copyErr := io.Copy(io.Discard, stdout)
				if err := cmd.Wait(); err != nil {
					return err
				}
				return copyErr
			}
		}
	}
	t.Fatalf("the provider printed no line that matches %s: %v", line, cmd.Wait())
	return nil, nil
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out, err := self(t.Context(), t, "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^terraform-provider-posix \S+\n$`).Match(out) {
		t.Errorf("-version printed %q, want one line with the name and the version of the provider", out)
	}
}

func TestDebugIsReachedFromBothRegistries(t *testing.T) {
	t.Parallel()
	cli := acctest.NeedsCLI(t)
	cmd := self(t.Context(), t, "-debug")
	match, wait := start(t, cmd, regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`))

	var entries map[string]struct {
		Protocol        string
		ProtocolVersion int
		Pid             int
		Test            bool
	}
	if err := json.Unmarshal([]byte(match[1]), &entries); err != nil {
		t.Fatal(err)
	}
	for _, address := range addresses() {
		got, ok := entries[address]
		// Without Test, a client would kill the provider; without a version, it would use protocol 5.
		if !ok || got.Protocol != "grpc" || got.ProtocolVersion != 6 || got.Pid != cmd.Process.Pid || !got.Test {
			t.Errorf("%s: got %+v, want protocol grpc, version 6, PID %d and Test", address, got, cmd.Process.Pid)
		}
	}

	dir := t.TempDir()
	config := `
		terraform {
		  required_providers {
		    posix = { source = "posixform/posix" }
		  }
		}
		resource "posix_file" "x" {
		  path    = "` + filepath.ToSlash(filepath.Join(dir, "x")) + `"
		  content = "x"
		}`
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := exec.CommandContext(t.Context(), cli.Path, "plan", "-no-color")
	plan.Dir = dir
	plan.Env = append(tfcli.Environ(os.Environ(), ""), "TF_REATTACH_PROVIDERS="+match[1])
	out, err := plan.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Plan: 1 to add, 0 to change, 0 to destroy.") {
		t.Errorf("%s plan: %v\n%s", cli, err, out)
	}

	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Errorf("the process ended with the error %v after an interrupt, want none", err)
	}
}

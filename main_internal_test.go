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
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/acctest"
)

// envServe makes this test binary the provider.
const envServe = "POSIX_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(envServe) != "" {
		main()
		return
	}
	m.Run()
}

// self is a command that runs this binary as the provider, without what this
// process's own environment says about logs.
func self(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{envServe + "=1", "GORACE=atexit_sleep_ms=0", "TMPDIR=" + t.TempDir()}
	cmd.Stderr = os.Stderr
	return cmd
}

// start runs the command until the test ends and gives the first line of its
// output that matches. What wait gives is how the process ended.
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
	t.Fatalf("the provider printed no line like %s: %v", line, cmd.Wait())
	return nil, nil
}

func TestVersion(t *testing.T) {
	t.Parallel()
	out, err := self(t.Context(), t, "-version").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^terraform-provider-posix \S+\n$`).Match(out) {
		t.Errorf("-version printed %q", out)
	}
}

func TestUnexpectedArgument(t *testing.T) {
	t.Parallel()
	cmd := self(t.Context(), t, "serve")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), `unexpected argument "serve"`) {
		t.Errorf("error %v with %q on standard error", err, stderr.String())
	}
}

func TestDebugIsReachedFromBothRegistries(t *testing.T) {
	t.Parallel()
	cli := acctest.Engine(t)
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
		// A client kills a provider that is not said to be under test, and takes
		// a missing version for 5.
		if !ok || got.Protocol != "grpc" || got.ProtocolVersion != 6 || got.Pid != cmd.Process.Pid || !got.Test {
			t.Errorf("%s: %+v, want grpc, version 6, pid %d, test", address, got, cmd.Process.Pid)
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
	plan.Env = append(os.Environ(), "TF_REATTACH_PROVIDERS="+match[1])
	out, err := plan.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Plan: 1 to add, 0 to change, 0 to destroy.") {
		t.Errorf("%s plan: %v\n%s", cli, err, out)
	}

	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err != nil {
		t.Errorf("after an interrupt it ended with %v", err)
	}
}

// Ctrl-C in a terminal reaches the client and the provider alike. The client
// then asks to stop; a provider that dies first would lose what it was writing.
func TestServingOutlivesAnInterrupt(t *testing.T) {
	t.Parallel()
	cmd := self(t.Context(), t)
	cmd.Env = append(cmd.Env, "TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2", "PLUGIN_PROTOCOL_VERSIONS=5,6")
	match, wait := start(t, cmd, regexp.MustCompile(`^1\|(\d+)\|`))
	if match[1] != "6" {
		t.Errorf("it speaks protocol %s, want 6", match[1])
	}
	// The handshake line is printed just before the signal is caught.
	time.Sleep(100 * time.Millisecond)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- wait() }()
	select {
	case err := <-ended:
		t.Fatalf("an interrupt ended it: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// Not parallel: the environment is one for the process.
func TestProtocolLogsAreOffUnlessAskedFor(t *testing.T) {
	for name, tt := range map[string]struct{ variable, value, want string }{
		"nothing is set":          {"TF_INPUT", "0", "off"},
		"an empty one is not set": {"TF_LOG", "", "off"},
		"TF_LOG":                  {"TF_LOG", "trace", ""},
		"one for providers":       {"TF_LOG_PROVIDER_POSIX", "debug", ""},
		"one for the protocol":    {"TF_LOG_SDK_PROTO", "debug", "debug"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, kv := range os.Environ() {
				if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "TF_LOG") {
					t.Setenv(name, "")
				}
			}
			t.Setenv("TF_LOG_SDK", "")
			t.Setenv("TF_LOG_SDK_PROTO", "")
			t.Setenv(tt.variable, tt.value)
			if err := quietProtocolLogs(); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv("TF_LOG_SDK_PROTO"); got != tt.want {
				t.Errorf("TF_LOG_SDK_PROTO=%q, want %q", got, tt.want)
			}
		})
	}
}

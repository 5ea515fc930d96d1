package serve_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	tfplugin "github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

// reattachLine matches the output of a program with -debug.
var reattachLine = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// respondingProcess returns the ID of the process that the provider runs in.
func respondingProcess(t *testing.T, p provider.Interface) (pid int) {
	t.Helper()
	got := p.ValidateProviderConfig(t.Context(), provider.ValidateProviderConfigRequest{Config: cty.EmptyObjectVal})
	if len(got.Diagnostics) != 1 {
		t.Fatalf("got diagnostics %v, want one", got.Diagnostics)
	}
	if _, err := fmt.Sscanf(got.Diagnostics[0].Detail, "pid %d", &pid); err != nil {
		t.Fatalf("got detail %q, want a process ID", got.Diagnostics[0].Detail)
	}
	return pid
}

// everyAddress attaches to each address and returns the ID of the responding
// process.
func everyAddress(t *testing.T, text string) (pid int) {
	t.Helper()
	running, err := reattach.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(running) != len(addresses) {
		t.Errorf("got %d addresses, want %d", len(running), len(addresses))
	}
	for _, address := range addresses {
		config, ok := running[address]
		if !ok {
			t.Fatalf("TF_REATTACH_PROVIDERS has no provider for %s", address)
		}
		// Clients kill a provider without Test, and default to version 5.
		if config.ProtocolVersion != 6 || !config.Test {
			t.Errorf("%s: got version %d, Test %t, want 6 and true", address, config.ProtocolVersion, config.Test)
		}
		remote, err := client.Dial(t.Context(), client.DialConfig{Reattach: config})
		if err != nil {
			t.Fatal(err)
		}
		pid = respondingProcess(t, remote)
		if config.Pid != pid {
			t.Errorf("%s: got process ID %d, want %d", address, config.Pid, pid)
		}
		if err := remote.Close(); err != nil {
			t.Error(err)
		}
	}
	return pid
}

func TestMainPrintsTheVersion(t *testing.T) {
	t.Parallel()
	if out, _, err := run(t, "tiny", "-version"); out != "terraform-provider-tiny 1.2.3\n" || err != nil {
		t.Errorf("-version: got %q and error %v, want terraform-provider-tiny 1.2.3", out, err)
	}
	if got := serve.Version(""); !regexp.MustCompile(`^(dev|\d+\.\d+\.\d+\S*)$`).MatchString(got) {
		t.Errorf("got version %q without a linked version, want dev or a version number", got)
	}
}

func TestMainReportsErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		role string
		args []string
		want string
	}{
		"an argument":           {"tiny", []string{"serve"}, "terraform-provider-tiny: unexpected argument \"serve\"\n"},
		"a flag of the program": {"flags", []string{"-colour=blue"}, "terraform-provider-tiny: create the provider: the colour is blue\n"},
		"a flag with -debug":    {"flags", []string{"-debug", "-colour=red"}, "terraform-provider-tiny: create the provider: the colour is red\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, output, err := run(t, tt.role, tt.args...)
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 || output != tt.want {
				t.Errorf("got output %q and error %v, want output %q and exit status 1", output, err, tt.want)
			}
		})
	}
}

// TestMainServes checks that a client starts and ends the program, and that the
// program ignores the signals that reach client and provider in a terminal or a
// service. The guard is enabled and logs panics to the client.
func TestMainServes(t *testing.T) {
	t.Parallel()
	config := program(t, "tiny")
	var mu sync.Mutex
	var output strings.Builder
	config.Output = writer(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return output.Write(p)
	})
	remote, err := client.Dial(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	id := respondingProcess(t, remote)
	process, err := os.FindProcess(id)
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []os.Signal{os.Interrupt, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if err := process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if again := respondingProcess(t, remote); again != id {
			t.Errorf("after the signal %s: process %d responds, want %d", sig, again, id)
		}
	}
	if err := remote.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "(PANIC-001)") {
		t.Errorf("panic in Stop: got error %v, want an error of the guard with (PANIC-001)", err)
	}
	if err := remote.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	var logged string
	for line := range strings.Lines(output.String()) {
		if strings.Contains(line, "serve_test.tiny.Stop") {
			logged = line
		}
	}
	for _, want := range []string{`"@level":"error"`, `"@message":`} {
		if !strings.Contains(logged, want) {
			t.Errorf("log of the panic: got %q, want %s; full log:\n%s", logged, want, output.String())
		}
	}
	var entry struct {
		Time string `json:"@timestamp"`
	}
	err = json.Unmarshal([]byte(logged), &entry)
	if _, invalid := time.Parse("2006-01-02T15:04:05.000000Z07:00", entry.Time); err != nil || invalid != nil {
		t.Errorf("log of the panic: go-plugin cannot parse %q: %v, %v", logged, err, invalid)
	}
}

// TestMainServesMux checks that the program serves the server that Config.Mux returns, and
// that requests reach the provider through it.
func TestMainServesMux(t *testing.T) {
	t.Parallel()
	remote, err := client.Dial(t.Context(), program(t, "muxed"))
	if err != nil {
		t.Fatal(err)
	}
	respondingProcess(t, remote)
	if _, ok := remote.GetProviderSchema(t.Context(), provider.GetProviderSchemaRequest{}).ResourceTypes["tiny_other"]; !ok {
		t.Error("the schema lacks the resource type tiny_other of the server that Config.Mux returns")
	}
	if err := remote.Close(); err != nil {
		t.Error(err)
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestMainDebug checks that with -debug, the program serves every client that
// attaches, until a signal ends it.
func TestMainDebug(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			config := program(t, "tiny")
			cmd := exec.CommandContext(t.Context(), config.Path, "-debug")
			cmd.Env = config.Env
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var match []string
			for lines := bufio.NewScanner(stdout); match == nil; match = reattachLine.FindStringSubmatch(lines.Text()) {
				if !lines.Scan() {
					t.Fatalf("TF_REATTACH_PROVIDERS was not printed: %v", cmd.Wait())
				}
			}
			if id := everyAddress(t, match[1]); id != cmd.Process.Pid {
				t.Errorf("process %d responds, want %d", id, cmd.Process.Pid)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, stdout); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("after the signal: got error %v, want none", err)
			}
		})
	}
}

// TestRunDebug checks that with Config.Debug, Run serves until its context is done,
// and then closes the provider.
func TestRunDebug(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, ended := make(chan string, 1), make(chan error, 1)
	var closed atomic.Int32
	counted := func() (provider.Interface, error) { return buildCounted(&closed) }
	go func() {
		ended <- serve.Run(ctx, serve.Config{Addresses: addresses, Provider: counted, Debug: writer(func(p []byte) (int, error) {
			output <- string(p)
			return len(p), nil
		})})
	}()
	select {
	case err := <-ended:
		t.Fatalf("Run returned before it served: %v", err)
	case text := <-output:
		match := reattachLine.FindStringSubmatch(text)
		if match == nil {
			t.Fatalf("got output %q, want TF_REATTACH_PROVIDERS", text)
		}
		if id := everyAddress(t, match[1]); id != os.Getpid() {
			t.Errorf("process %d responds, want this process, %d", id, os.Getpid())
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("after the context was canceled: got error %v, want none", err)
	}
	if n := closed.Load(); n != 1 {
		t.Errorf("the provider was closed %d times, want once", n)
	}
}

// TestRunFails checks that Run returns an error for a configuration that cannot be
// served.
func TestRunFails(t *testing.T) {
	t.Parallel()
	errFull := errors.New("no space left")
	for name, tt := range map[string]struct {
		config serve.Config
		want   string
		is     error
	}{
		"no provider":      {serve.Config{Addresses: addresses}, "Config.Provider is not set", nil},
		"no address":       {serve.Config{Provider: build}, "Config.Addresses is empty; add an address such as registry.terraform.io/example/zone", nil},
		"a short address":  {serve.Config{Provider: build, Addresses: []string{addresses[0], "example/tiny"}}, `invalid address "example/tiny"`, nil},
		"a quoted address": {serve.Config{Provider: build, Addresses: []string{"a.b/it's/x"}}, `invalid address "a.b/it's/x"`, nil},
		"a failing function": {
			serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) { return nil, errFull }},
			"create the provider: no space left", errFull,
		},
		"neither provider nor error": {
			serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) { return nil, nil }},
			"returned neither a provider nor an error", nil,
		},
		"a failing mux": {
			serve.Config{Addresses: addresses, Provider: build, Mux: func(context.Context, tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
				return nil, errFull
			}},
			"mux the provider: no space left", errFull,
		},
		"neither server nor error": {
			serve.Config{Addresses: addresses, Provider: build, Mux: func(context.Context, tfplugin.ProviderServer) (tfplugin.ProviderServer, error) {
				return nil, nil
			}},
			"mux the provider: Config.Mux returned neither a server nor an error", nil,
		},
		"a failing writer": {
			serve.Config{Addresses: addresses, Provider: build, Debug: writer(func([]byte) (int, error) { return 0, errFull })},
			"write TF_REATTACH_PROVIDERS: no space left", errFull,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := serve.Run(t.Context(), tt.config)
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got error %v, want %q", err, tt.want)
			}
		})
	}
}

// TestRunUnguarded checks that without the guard, panics are not reported with the
// ID of a rule.
func TestRunUnguarded(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	output, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, serve.Config{Addresses: addresses[:1], Provider: build, Unguarded: true, Debug: writer(func(p []byte) (int, error) {
			output <- string(p)
			return len(p), nil
		})})
	}()
	running, err := reattach.Parse(reattachLine.FindStringSubmatch(<-output)[1])
	if err != nil {
		t.Fatal(err)
	}
	remote, err := client.Dial(t.Context(), client.DialConfig{Reattach: running[addresses[0]]})
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Stop(t.Context()); err == nil || strings.Contains(err.Error(), "(PANIC-001)") {
		t.Errorf("panic in Stop: got error %v, want an error without (PANIC-001)", err)
	}
	stop()
	if err := errors.Join(remote.Close(), <-ended); err != nil {
		t.Error(err)
	}
}

// TestProtocolLogsAreOffByDefault checks the default of TF_LOG_SDK_PROTO. It is not
// parallel, because it sets environment variables.
func TestProtocolLogsAreOffByDefault(t *testing.T) {
	for name, tt := range map[string]struct{ variable, value, want string }{
		"no variable":              {"TF_INPUT", "0", "off"},
		"an empty variable":        {"TF_LOG", "", "off"},
		"TF_LOG":                   {"TF_LOG", "trace", ""},
		"a variable for providers": {"TF_LOG_PROVIDER_POSIX", "debug", ""},
		"the variable itself":      {"TF_LOG_SDK_PROTO", "debug", "debug"},
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
			var got string
			errStop := errors.New("stop")
			err := serve.Run(t.Context(), serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
				got = os.Getenv("TF_LOG_SDK_PROTO")
				return nil, errStop
			}})
			if !errors.Is(err, errStop) || got != tt.want {
				t.Errorf("got TF_LOG_SDK_PROTO=%q and error %v, want %q and error %v", got, err, tt.want, errStop)
			}
		})
	}
}

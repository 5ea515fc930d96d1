package serve_test

import (
	"bufio"
	"context"
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

	"github.com/zclconf/go-cty/cty"

	"github.com/posixform/terraform-provider-posix/provider"
	"github.com/posixform/terraform-provider-posix/serve"
	"github.com/posixform/terraform-provider-posix/tfprotov6/client"
	"github.com/posixform/terraform-provider-posix/tfprotov6/reattach"
)

// reattachLine matches what a program under a debugger prints.
var reattachLine = regexp.MustCompile(`TF_REATTACH_PROVIDERS='(.*)'`)

// answers asks the provider which process it is in.
func answers(t *testing.T, p provider.Interface) (pid int) {
	t.Helper()
	got := p.ValidateProviderConfig(t.Context(), provider.ValidateProviderConfigRequest{Config: cty.EmptyObjectVal})
	if len(got.Diagnostics) != 1 {
		t.Fatalf("the provider said %v", got.Diagnostics)
	}
	if _, err := fmt.Sscanf(got.Diagnostics[0].Detail, "pid %d", &pid); err != nil {
		t.Fatalf("the provider said %q", got.Diagnostics[0].Detail)
	}
	return pid
}

// everyAddress attaches under each address and gives the process that answers.
func everyAddress(t *testing.T, text string) (pid int) {
	t.Helper()
	running, err := reattach.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if len(running) != len(addresses) {
		t.Errorf("it is found under %d addresses, want %q", len(running), addresses)
	}
	for _, address := range addresses {
		config, ok := running[address]
		if !ok {
			t.Fatalf("nothing is found under %s", address)
		}
		// A client kills a provider that is not said to be under test, and takes a
		// missing version for 5.
		if config.ProtocolVersion != 6 || !config.Test {
			t.Errorf("%s has version %d, under test: %t", address, config.ProtocolVersion, config.Test)
		}
		remote, err := client.Dial(t.Context(), client.DialConfig{Reattach: config})
		if err != nil {
			t.Fatal(err)
		}
		pid = answers(t, remote)
		if config.Pid != pid {
			t.Errorf("%s is process %d and says %d", address, pid, config.Pid)
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
		t.Errorf("-version printed %q, %v", out, err)
	}
	if got := serve.Version(""); !regexp.MustCompile(`^(dev|\d+\.\d+\.\d+\S*)$`).MatchString(got) {
		t.Errorf("the version that nothing was linked to is %q", got)
	}
}

func TestMainSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		role string
		args []string
		want string
	}{
		"an argument":                {"tiny", []string{"serve"}, "terraform-provider-tiny: unexpected argument \"serve\"\n"},
		"the program's own flag":     {"flags", []string{"-colour=blue"}, "terraform-provider-tiny: set the provider up: the colour is blue\n"},
		"the same, under a debugger": {"flags", []string{"-debug", "-colour=red"}, "terraform-provider-tiny: set the provider up: the colour is red\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, said, err := run(t, tt.role, tt.args...)
			if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 || said != tt.want {
				t.Errorf("it said %q and ended with %v, want %q", said, err, tt.want)
			}
		})
	}
}

// A client starts the program and ends it. An interrupt before that, which in a
// terminal reaches the client and the provider alike, does not end it: it would
// lose what it was writing. The guard is around it, and what panicked is in the
// client's log.
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
	id := answers(t, remote)
	for range 2 {
		process, err := os.FindProcess(id)
		if err != nil {
			t.Fatal(err)
		}
		if err := process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if again := answers(t, remote); again != id {
			t.Errorf("after an interrupt process %d answers, was %d", again, id)
		}
	}
	if err := remote.Stop(t.Context()); err == nil || !strings.Contains(err.Error(), "(PANIC-001)") {
		t.Errorf("a panic of Stop came as %v, which the guard has not said", err)
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
	for _, want := range []string{`"@level":"error"`, `"@message":`, `"@timestamp":`} {
		if !strings.Contains(logged, want) {
			t.Errorf("of the panic the log has %q, want %s; all of it:\n%s", logged, want, output.String())
		}
	}
}

type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// Under a debugger the program serves every client that attaches, until it is
// interrupted.
func TestMainUnderADebugger(t *testing.T) {
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
					t.Fatalf("it did not say how a client attaches: %v", cmd.Wait())
				}
			}
			if id := everyAddress(t, match[1]); id != cmd.Process.Pid {
				t.Errorf("process %d answers, want %d", id, cmd.Process.Pid)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, stdout); err != nil {
				t.Error(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("interrupted, it ended with %v", err)
			}
		})
	}
}

// Without flags and signals the same is a function that ends with its context,
// and closes the provider.
func TestRunUnderADebugger(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, ended := make(chan string, 1), make(chan error, 1)
	var closed atomic.Int32
	counted := func() (provider.Interface, error) { return buildCounted(&closed) }
	go func() {
		ended <- serve.Run(ctx, serve.Config{Addresses: addresses, Provider: counted, Debug: writer(func(p []byte) (int, error) {
			said <- string(p)
			return len(p), nil
		})})
	}()
	select {
	case err := <-ended:
		t.Fatalf("it ended before it was ready: %v", err)
	case text := <-said:
		match := reattachLine.FindStringSubmatch(text)
		if match == nil {
			t.Fatalf("it said %q", text)
		}
		if id := everyAddress(t, match[1]); id != os.Getpid() {
			t.Errorf("process %d answers", id)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("after its context it ended with %v", err)
	}
	if n := closed.Load(); n != 1 {
		t.Errorf("the provider was closed %d times", n)
	}
}

// What cannot be served is an error, and leaves nothing open.
func TestRunFails(t *testing.T) {
	t.Parallel()
	sad := errors.New("no space left")
	for name, tt := range map[string]struct {
		config serve.Config
		want   string
		is     error
	}{
		"no provider":      {serve.Config{Addresses: addresses}, "the function Provider is missing", nil},
		"no address":       {serve.Config{Provider: build}, "it has no address; give it one like registry.terraform.io/example/zone", nil},
		"a short address":  {serve.Config{Provider: build, Addresses: []string{addresses[0], "example/tiny"}}, `the address "example/tiny" is not like`, nil},
		"a quoted address": {serve.Config{Provider: build, Addresses: []string{"a.b/it's/x"}}, `the address "a.b/it's/x" is not like`, nil},
		"one that fails": {
			serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) { return nil, sad }},
			"set the provider up: no space left", sad,
		},
		"none, and no error": {
			serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) { return nil, nil }},
			"returned neither a provider nor an error", nil,
		},
		"nobody to tell": {
			serve.Config{Addresses: addresses, Provider: build, Debug: writer(func([]byte) (int, error) { return 0, sad })},
			"say how a client attaches: no space left", sad,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := serve.Run(t.Context(), tt.config)
			if err == nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}

// Without the guard the client alone judges.
func TestRunUnguarded(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- serve.Run(ctx, serve.Config{Addresses: addresses[:1], Provider: build, Unguarded: true, Debug: writer(func(p []byte) (int, error) {
			said <- string(p)
			return len(p), nil
		})})
	}()
	running, err := reattach.Parse(reattachLine.FindStringSubmatch(<-said)[1])
	if err != nil {
		t.Fatal(err)
	}
	remote, err := client.Dial(t.Context(), client.DialConfig{Reattach: running[addresses[0]]})
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Stop(t.Context()); err == nil || strings.Contains(err.Error(), "(PANIC-001)") {
		t.Errorf("a panic of Stop came as %v", err)
	}
	stop()
	if err := errors.Join(remote.Close(), <-ended); err != nil {
		t.Error(err)
	}
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
			var got string
			enough := errors.New("seen enough")
			err := serve.Run(t.Context(), serve.Config{Addresses: addresses, Provider: func() (provider.Interface, error) {
				got = os.Getenv("TF_LOG_SDK_PROTO")
				return nil, enough
			}})
			if !errors.Is(err, enough) || got != tt.want {
				t.Errorf("TF_LOG_SDK_PROTO=%q, want %q (%v)", got, tt.want, err)
			}
		})
	}
}

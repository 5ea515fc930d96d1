//go:build unix

package conn_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// Environment variables of the proxy process: the address to connect to, and a file for its process ID.
const (
	proxyAddressVariable = "CONN_TEST_ADDRESS"
	proxyPIDVariable     = "CONN_TEST_PID"
)

// TestProxyProcess is not a test but a ProxyCommand: it copies data between an address and its standard
// input and output.
func TestProxyProcess(t *testing.T) {
	address, isSet := os.LookupEnv(proxyAddressVariable)
	if !isSet {
		t.Skip("only runs as a process of another test")
	}
	if err := os.WriteFile(os.Getenv(proxyPIDVariable), []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.Copy(to, os.Stdin)
		_ = to.(*net.TCPConn).CloseWrite()
	}()
	_, _ = io.Copy(os.Stdout, to)
	os.Exit(0)
}

// proxied returns options that connect with a command to an address that does not exist, and the file
// for the process ID.
func proxied(t *testing.T, o conn.Options, command string, env ...string) (options conn.Options, pidFile string) {
	t.Helper()
	pidFile = filepath.Join(t.TempDir(), "pid")
	o.Trust.Alias = "[" + o.Address + "]:" + strconv.Itoa(o.Port)
	o.Address, o.Port = "nowhere.invalid", 22
	o.ProxyCommand = &conn.ProxyCommand{Command: command, Where: "config:5", Env: append(env, "PATH="+os.Getenv("PATH"), proxyPIDVariable+"="+pidFile)}
	return o, pidFile
}

// wantEnded fails the test unless the process with the ID in the file has ended.
func wantEnded(t *testing.T, pidFile string) {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process %d is still running (%v)", pid, err)
	}
}

// TestProxyCommand checks that one process is the connection for all sessions, and ends with the connection.
func TestProxyCommand(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	o, pidFile := proxied(t, o, fmt.Sprintf("'%s' -test.run='^TestProxyProcess$'", os.Args[0]), proxyAddressVariable+"="+server.Addr())
	c := open(t, o)
	large := strings.Repeat("0123456789abcde\n", 100_000)
	for range 2 {
		if out, exit, err := run(t.Context(), c, "cat", large); out != large || exit != (remote.Exit{}) || err != nil {
			t.Errorf("cat: %d bytes, exit %+v, error %v, want the %d bytes of the input, exit code 0 and no error", len(out), exit, err, len(large))
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	c.Disconnect()
	wantEnded(t, pidFile)
	if out, _, err := run(t.Context(), c, "echo again", ""); out != "again\n" || err != nil {
		t.Errorf("after a disconnect: output %q, error %v, want output %q and no error", out, err, "again\n")
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	wantEnded(t, pidFile)
}

// TestProxyCommandVerifiesHostKey checks that the host key is verified if the connection is a process.
func TestProxyCommandVerifiesHostKey(t *testing.T) {
	t.Parallel()
	server, o := serve(t, sshdtest.Config{})
	o.Trust.Known = nil
	o, pidFile := proxied(t, o, fmt.Sprintf("'%s' -test.run='^TestProxyProcess$'", os.Args[0]), proxyAddressVariable+"="+server.Addr())
	if err := open(t, o).Connect(t.Context()); !errors.Is(err, conn.ErrRefused) {
		t.Errorf("the error is %v, want one about the host key that matches %v", err, conn.ErrRefused)
	}
	wantEnded(t, pidFile)
}

// TestProxyCommandErrors checks the errors of processes that do not connect, how often they are started,
// and that none is left.
func TestProxyCommandErrors(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	pid := "echo $$ >$" + proxyPIDVariable + "; echo >>$" + proxyPIDVariable + ".runs; "
	for name, tt := range map[string]struct {
		script string // of a shell, with an argument that no message contains
		texts  []string
		runs   int
		shell  string

		timeout time.Duration // if set, there are no retries
	}{
		"fails":          {script: pid + `printf "no such\n instance\033[31m" >&2; exit 255`, texts: []string{": the ProxyCommand of config:5 ended with exit status 255, and wrote: no such instance [31m", "tried 3 times"}, runs: 3},
		"not found":      {script: pid + "exec /no/such/program", texts: []string{"exit status 127", "not found"}, runs: 1},
		"closes":         {script: pid + "exec >&-; sleep 600", texts: []string{"config:5 closed the connection"}, runs: 3},
		"not SSH":        {script: pid + "echo HTTP/1.1 400", texts: []string{"does not use the SSH protocol", "HTTP"}, runs: 1},
		"hangs":          {script: pid + "trap '' HUP; echo waiting for the instance >&2; sleep 600 & wait", texts: []string{"no answer within", "the ProxyCommand of config:5 is running, and wrote: waiting for the instance"}, runs: 1, timeout: 3 * time.Second},
		"has no shell":   {shell: "/no/such/shell", texts: []string{"cannot start the shell of the ProxyCommand of config:5"}},
		"has a terminal": {script: pid + "echo question >/dev/tty; exit 3", texts: []string{"exit status 3", "/dev/tty"}, runs: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := conn.Options{
				Name: "web", Address: "192.0.2.1", Port: 22, User: "me", Trust: conn.Trust{Policy: conn.Strict, Known: []string{""}},
				ConnectTimeout: time.Minute, RetryPause: time.Millisecond, Retries: 2, MaxSessions: 1,
			}
			if tt.timeout != 0 {
				o.ConnectTimeout, o.Retries = tt.timeout, 0
			}
			o.Auth.Password = new(conn.Secret("x"))
			o, pidFile := proxied(t, o, fmt.Sprintf(`/bin/sh -c '%s' sh %s`, strings.ReplaceAll(tt.script, "'", `'\''`), secret), "SHELL="+tt.shell)
			err := open(t, o).Connect(t.Context())
			if err == nil || !errors.Is(err, host.ErrUnreachable) && tt.runs > 1 {
				t.Fatalf("Connect returned error %v, want one that matches %v if attempts are repeated", err, host.ErrUnreachable)
			}
			for _, text := range tt.texts {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("the error does not contain %q: %v", text, err)
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error contains the command: %v", err)
			}
			if tt.runs == 0 {
				return
			}
			runs, _ := os.ReadFile(pidFile + ".runs")
			if len(runs) != tt.runs {
				t.Errorf("the process was started %d times, want %d", len(runs), tt.runs)
			}
			wantEnded(t, pidFile)
		})
	}
}

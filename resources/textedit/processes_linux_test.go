package textedit_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/resources/address"
	"github.com/posixform/terraform-provider-posix/resources/textedit"
)

// writer is the configuration of a writer process, which gets it in the environment variable writerVariable.
type writer struct {
	Name, Path, Host string // Host is local or ssh
	SSH              sshhost.Options
	Lines            int
}

const writerVariable = "EDIT_TEST_WRITER"

// TestWriterProcess is not a test but a writer process: it adds lines to a file from two
// goroutines, and prints each line after it was written.
func TestWriterProcess(t *testing.T) {
	text, isSet := os.LookupEnv(writerVariable)
	if !isSet {
		t.Skip("only runs as a process of another test")
	}
	var o writer
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	h := localHost(t)
	if o.Host == "ssh" {
		h = remoteHost(t, o.SSH)
	}
	scope := resourcetest.Scope(t, h)
	var all sync.WaitGroup
	for _, half := range []string{"a", "b"} {
		all.Go(func() {
			for n := range o.Lines {
				line := fmt.Sprintf("%s %s %d", o.Name, half, n)
				_, err := textedit.File(t.Context(), scope, address.Path(o.Path), host.Attributes{}, func(was []byte) ([]byte, error) {
					return append(was, line+"\n"...), nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				fmt.Printf("there: %s\n", line)
			}
		})
	}
	all.Wait()
}

func remoteHost(t *testing.T, o sshhost.Options) host.Host {
	t.Helper()
	h, err := sshhost.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// server starts an sshd, and returns the options to connect to it.
func server(t *testing.T, config sshdtest.Config) sshhost.Options {
	t.Helper()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	config.Users = []sshdtest.User{me}
	s := sshdtest.Start(t, config)
	return sshhost.Options{
		Name: "web", Address: s.Host(), Port: s.Port(), User: me.Name,
		Auth:           sshhost.Auth{Keys: []sshhost.Key{{Path: key.File(t, "")}}},
		Trust:          sshhost.Trust{Policy: sshhost.Strict, Pinned: []string{ssh.FingerprintSHA256(s.HostKey())}},
		ConnectTimeout: time.Minute, Retries: 5, MaxSessions: 10,
	}
}

// startWriter starts a writer process, and calls written with each line that the process has written. wait returns
// when the process has ended, with an error that contains the output of the process if it failed.
func startWriter(t *testing.T, o writer, written func(line string)) (kill func(), wait func() error) {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWriterProcess$")
	cmd.Env = append(os.Environ(), writerVariable+"="+string(text))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	var last strings.Builder
	go func() {
		defer close(read)
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if line, is := strings.CutPrefix(lines.Text(), "there: "); is {
				written(line)
			} else {
				last.WriteString(lines.Text() + "\n")
			}
		}
		_, _ = io.Copy(io.Discard, out)
	}()
	return func() { _ = cmd.Process.Kill() }, func() error {
		<-read
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%s: %w\n%s%s", o.Name, err, last.String(), stderr.String())
		}
		return nil
	}
}

// TestSeveralProcesses changes a file from processes on the host and over SSH, and kills
// some of them. It checks that each line that a process has written is in the file once,
// and that the rest is unchanged.
func TestSeveralProcesses(t *testing.T) {
	t.Parallel()
	options := server(t, sshdtest.Config{})
	const before = "\xef\xbb\xbftheirs\r\n\x00\n"
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	there := map[string]bool{}
	written := func(line string) {
		mu.Lock()
		defer mu.Unlock()
		there[line] = true
	}
	var all sync.WaitGroup
	for i, kind := range []string{"local", "ssh", "local", "ssh", "ssh"} {
		name := fmt.Sprintf("%s%d", kind, i)
		_, wait := startWriter(t, writer{Name: name, Path: path, Host: kind, SSH: options, Lines: 12}, written)
		all.Go(func() {
			if err := wait(); err != nil {
				t.Error(err)
			}
		})
	}
	for i, kind := range []string{"ssh", "local", "local"} {
		all.Go(func() {
			for again := range 3 {
				name := fmt.Sprintf("killed-%s%d-%d", kind, i, again)
				kill, wait := startWriter(t, writer{Name: name, Path: path, Host: kind, SSH: options, Lines: math.MaxInt}, written)
				time.Sleep(time.Second/2 + rand.N(time.Second))
				kill()
				if wait() == nil {
					t.Errorf("the writer %s ended without an error, want the error of a killed process", name)
				}
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rest, kept := strings.CutPrefix(string(content), before)
	if !kept {
		t.Errorf("the file starts with %q, want the previous content %q", content[:min(len(content), 50)], before)
	}
	times := map[string]int{}
	for line := range strings.Lines(rest) {
		times[strings.TrimSuffix(line, "\n")]++
	}
	for line := range there {
		if times[line] != 1 {
			t.Errorf("the written line %q is in the file %d times, want once", line, times[line])
		}
	}
	for line, n := range times {
		if n != 1 || strings.Count(line, " ") != 2 {
			t.Errorf("the line %q is in the file %d times, want one complete line", line, n)
		}
	}
	if info, err := os.Stat(path); err != nil {
		t.Error(err)
	} else if got := info.Mode(); got != 0o640 {
		t.Errorf("the mode is %v, want 0640", got)
	}
	if len(there) < 5*2*12 {
		t.Errorf("%d lines were written, want at least %d, the lines of the writers that are not killed", len(there), 5*2*12)
	}
	t.Logf("%d lines, %d of them by killed writers", len(there), len(there)-5*2*12)
}

// TestRestrictedServers checks changes on a server with one session per connection, on one without
// commands, and on one without SFTP.
func TestRestrictedServers(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]sshdtest.Config{
		"one session": {MaxSessions: 1},
		"only SFTP":   {Lines: []string{"ForceCommand internal-sftp"}},
		"no SFTP":     {Subsystem: sshdtest.None},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := remoteHost(t, server(t, config))
			scope := resourcetest.Scope(t, h)
			dir := t.TempDir()
			var all sync.WaitGroup
			for i := range 12 {
				path := filepath.Join(dir, fmt.Sprint("file", i%3))
				all.Go(func() {
					_, err := textedit.File(t.Context(), scope, address.Path(path), host.Attributes{}, func(was []byte) ([]byte, error) {
						return append(was, "line\n"...), nil
					})
					if err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			for i := range 3 {
				content, err := os.ReadFile(filepath.Join(dir, fmt.Sprint("file", i)))
				if string(content) != strings.Repeat("line\n", 4) {
					t.Errorf("the file has %q (%v), want 4 lines", content, err)
				}
			}
			if names, err := os.ReadDir(dir); err != nil || len(names) != 3 {
				t.Errorf("the directory has %v (%v), want 3 entries", names, err)
			}
		})
	}
}

//go:build unix

package elevate_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/conn"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/command"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/internal/tier"
)

// serve starts a server with users that the real sudo treats differently, and returns a
// function that returns a connection as one of them.
func serve(t *testing.T) func(user string) *conn.Conn {
	t.Helper()
	sshdtest.RequireUsers(t)
	key := sshdtest.NewKey(t)
	keys := []ssh.PublicKey{key.PublicKey()}
	server := sshdtest.Start(t, sshdtest.Config{Users: []sshdtest.User{
		{Name: "alice", Keys: keys},
		{Name: "bob", Keys: keys, Sudo: sshdtest.SudoNoPassword},
		{Name: "carol", Keys: keys, Sudo: sshdtest.SudoPassword, Password: right},
	}})
	file := key.File(t, "")
	return func(user string) *conn.Conn {
		t.Helper()
		l, err := conn.New(conn.Options{
			Name: "web1", Address: server.Host(), Port: server.Port(), User: user,
			Auth:           conn.Auth{Keys: []conn.Key{{Path: file}}},
			Trust:          conn.Trust{Policy: conn.Strict, Known: []string{server.KnownHosts()}},
			ConnectTimeout: time.Minute, KeepAlive: 15 * time.Second, KeepAliveCount: 3, MaxSessions: 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
}

func TestSudo(t *testing.T) {
	t.Parallel()
	login := serve(t)
	for _, tt := range []struct {
		name, user, becomes string
		password            *string
		check               func(refused *elevate.RefusedError) bool // nil: sudo accepts
	}{
		{name: "no password", user: "bob", becomes: "root"},
		{name: "password given, none required", user: "bob", becomes: "alice", password: new("whatever")},
		{name: "password", user: "carol", becomes: "root", password: new(right)},
		{name: "another user", user: "carol", becomes: "alice", password: new(right)},
		{
			name: "wrong password", user: "carol", becomes: "root", password: new("wrong planted"),
			check: func(r *elevate.RefusedError) bool { return r.Wrong && r.PasswordSent },
		},
		{
			name: "no password given, one required", user: "carol", becomes: "root",
			check: func(r *elevate.RefusedError) bool { return !r.PasswordSent && strings.Contains(r.Error(), "NOPASSWD") },
		},
		{
			name: "no rights", user: "alice", becomes: "root", password: new(right),
			check: func(r *elevate.RefusedError) bool { return r.Said != "" },
		},
		{
			name: "no such user", user: "bob", becomes: "nobody-of-this-name",
			check: func(r *elevate.RefusedError) bool { return r.Said != "" },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := elevate.New(login(tt.user), tt.becomes, tt.password)
			if tt.check == nil {
				if out := output(t, e, "id -un; pwd >/dev/null; cd && pwd >&2"); out != tt.becomes+"\n" {
					t.Errorf("the program runs as %q, want %q", out, tt.becomes+"\n")
				}
				return
			}
			begun := time.Now()
			_, err := e.Start(t.Context(), "true")
			refused, ok := errors.AsType[*elevate.RefusedError](err)
			if !ok || !tt.check(refused) || strings.Contains(err.Error(), "planted") {
				t.Errorf("error %v", err)
			}
			if took := time.Since(begun); took > 30*time.Second {
				t.Errorf("Start took %s, want at most 30s", took)
			}
		})
	}
}

func TestSFTPAsRoot(t *testing.T) {
	t.Parallel()
	p, err := elevate.StartSFTP(t.Context(), elevate.New(serve(t)("carol"), "root", new(right)))
	if err != nil {
		t.Fatal(err)
	}
	wantServer(t, p)
}

// TestRootCommandIsKilled checks that a canceled command of root is killed, although the
// user of the connection cannot signal it.
func TestRootCommandIsKilled(t *testing.T) {
	t.Parallel()
	tier.CI(t)
	r := &command.Runner{Host: "web1", Starter: elevate.New(serve(t)("carol"), "root", new(right))}
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := r.Run(ctx, host.Command{
		Args:   []string{"sh", "-c", `(sleep 45; : >"$1") & trap "" TERM HUP; echo begun; sleep 45; : >"$2"`, "sh", dir + "/1", dir + "/2"},
		Stdout: writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }),
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	var out bytes.Buffer
	if _, err := r.Run(t.Context(), host.Command{Args: []string{"id", "-un"}, Stdout: &out}); err != nil || out.String() != "root\n" {
		t.Errorf("id printed %q, error %v, want root", out.String(), err)
	}
	remotetest.WaitGone(t, dir)
	if left, err := filepath.Glob(dir + "/*"); err != nil || len(left) > 0 {
		t.Errorf("not all processes were killed: %q (error %v)", left, err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

package sshhost_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// Users of the test servers.
const (
	plain    = "alice" // has no privileges
	free     = "bob"   // sudo does not require a password
	asked    = "carol" // sudo requires a password
	password = "correct horse"
)

// serve starts a server with all users, which accepts one key, and returns the options to
// connect as root.
func serve(tb testing.TB, config sshdtest.Config) (*sshdtest.Server, sshhost.Options) {
	tb.Helper()
	key := sshdtest.NewKey(tb)
	keys := []ssh.PublicKey{key.PublicKey()}
	config.Users = []sshdtest.User{
		{Name: "root", Keys: keys},
		{Name: plain, Keys: keys},
		{Name: free, Keys: keys, Sudo: sshdtest.SudoNoPassword},
		{Name: asked, Keys: keys, Sudo: sshdtest.SudoPassword, Password: password},
	}
	sshdtest.RequireUsers(tb)
	server := sshdtest.Start(tb, config)
	return server, options(tb, server, "root", key)
}

// options returns the options to connect as a user with a key.
func options(tb testing.TB, server *sshdtest.Server, user string, key sshdtest.Key) sshhost.Options {
	tb.Helper()
	return sshhost.Options{
		Name: "web", Address: server.Host(), Port: server.Port(), User: user,
		Auth:           sshhost.Auth{Keys: []sshhost.Key{{Path: key.File(tb, "")}}},
		Trust:          sshhost.Trust{Policy: sshhost.Strict, Known: []string{server.KnownHosts()}},
		ConnectTimeout: time.Minute, Retries: 5, KeepAlive: 15 * time.Second, KeepAliveCount: 3, MaxSessions: 10,
	}
}

// open returns a host that is closed when the test ends.
func open(tb testing.TB, o sshhost.Options) *sshhost.Host {
	tb.Helper()
	h, err := sshhost.New(o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := h.Close(); err != nil {
			tb.Error(err)
		}
	})
	return h
}

// directory returns a new directory that belongs to the given user of a host. t.TempDir is inside
// a private directory, and its path is too long for sockets.
func directory(tb testing.TB, h host.Host, user string) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "ssh-") //nolint:usetesting // see above
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	owner, err := h.LookupUser(tb.Context(), user)
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.Chown(dir, int(owner.UID), int(owner.GID)); err != nil {
		tb.Fatal(err)
	}
	return dir
}

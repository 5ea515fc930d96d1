package sshdtest

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// AgentKey is a key in an agent.
type AgentKey struct {
	Key
	Certificate *ssh.Certificate // nil: none
}

// StartAgent runs an ssh-agent with keys for a test and returns the path of its
// socket.
func StartAgent(tb testing.TB, keys ...AgentKey) string {
	tb.Helper()
	require(tb, "ssh-agent")
	dir, err := os.MkdirTemp("", "agent-") //nolint:usetesting // the path of t.TempDir is too long for a socket
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "agent")
	cmd := exec.CommandContext(tb.Context(), "ssh-agent", "-D", "-a", socket)
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Wait() }) // the test's context has killed it
	if err := fillAgent(socket, keys); err != nil {
		tb.Fatal(err)
	}
	return socket
}

func fillAgent(socket string, keys []AgentKey) error {
	var conn net.Conn
	var err error
	for deadline := time.Now().Add(maxWait); ; time.Sleep(time.Millisecond) {
		if conn, err = net.Dial("unix", socket); err == nil { //nolint:noctx // a local socket answers at once
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("ssh-agent does not listen: %w", err)
		}
	}
	defer func() { _ = conn.Close() }() // each key was acknowledged
	client := agent.NewClient(conn)
	for _, key := range keys {
		if err := client.Add(agent.AddedKey{PrivateKey: key.private, Certificate: key.Certificate}); err != nil {
			return err
		}
	}
	return nil
}

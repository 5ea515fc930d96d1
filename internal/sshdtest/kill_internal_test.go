//go:build !windows

package sshdtest

import (
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// TestKillWithoutSandbox checks that the process of a session does not outlive a killed
// server that has no sandbox.
func TestKillWithoutSandbox(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("as root, sshd has a sandbox")
	}
	Require(t)
	key := NewKey(t)
	s, err := launch(Config{Users: []User{Me(key.PublicKey())}}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client, err := ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: Me().Name, Auth: []ssh.AuthMethod{ssh.PublicKeys(key)}, HostKeyCallback: ssh.FixedHostKey(s.HostKey()),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, s.Log())
	}
	defer client.Close()
	session, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out, err := session.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Start("echo $$; exec sleep 1000"); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 20)
	n, err := out.Read(buffer)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(buffer[:n-1]))
	if err != nil {
		t.Fatal(err)
	}
	s.Kill()
	for deadline := time.Now().Add(maxWait); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d outlives its sshd", pid)
		}
	}
	if err := client.Wait(); err == nil {
		t.Error("the connection was closed cleanly, want an error")
	}
}

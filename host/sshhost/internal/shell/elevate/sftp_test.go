//go:build unix

package elevate_test

import (
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remote"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/remotetest"
	"github.com/posixform/terraform-provider-posix/host/sshhost/internal/shell/elevate"
)

// wantServer checks that an SFTP server replies.
func wantServer(t *testing.T, p remote.Process) {
	t.Helper()
	defer p.Close()
	if _, err := p.Stdin().Write([]byte{0, 0, 0, 5, 1, 0, 0, 0, 3}); err != nil { // SSH_FXP_INIT of version 3
		t.Fatal(err)
	}
	var head [9]byte
	if _, err := io.ReadFull(p.Stdout(), head[:]); err != nil {
		t.Fatal(err)
	}
	if head[4] != 2 || binary.BigEndian.Uint32(head[5:]) != 3 { // SSH_FXP_VERSION
		t.Errorf("it answers %x", head)
	}
}

func TestStartSFTP(t *testing.T) {
	t.Parallel()
	s, _ := sudo(t, lecture)
	p, err := elevate.StartSFTP(t.Context(), elevate.New(s, "root2", new(right)))
	if errors.Is(err, elevate.ErrNoServer) {
		t.Skip("OpenSSH's sftp-server is missing: install the package openssh-sftp-server")
	}
	if err != nil {
		t.Fatal(err)
	}
	wantServer(t, p)
	if _, err := elevate.StartSFTP(t.Context(), elevate.New(s, "root2", new("wrong"))); err == nil {
		t.Error("it was started with a wrong password")
	}
	p, err = elevate.StartSFTP(t.Context(), &remotetest.Starter{Noise: "echo banner"})
	if err != nil {
		t.Fatal(err)
	}
	wantServer(t, p)
}

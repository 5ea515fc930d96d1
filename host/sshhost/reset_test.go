package sshhost_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
)

// TestResetBehindJumpHost checks that a jump host that rejects the key while it boots is tried again
// after a Reset of the host behind it, or of the jump host.
func TestResetBehindJumpHost(t *testing.T) {
	t.Parallel()
	_, o := serve(t, sshdtest.Config{})
	for name, reset := range map[string]func(h, gate *sshhost.Host){
		"host":      func(h, _ *sshhost.Host) { h.Reset() },
		"jump host": func(_, gate *sshhost.Host) { gate.Reset() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gateServer, gateOptions := serve(t, sshdtest.Config{})
			late := sshdtest.NewKey(t)
			gateOptions.Name, gateOptions.Auth = "gate", sshhost.Auth{Keys: []sshhost.Key{{Path: late.File(t, "")}}}
			gate, o := open(t, gateOptions), o
			o.Via = gate
			h := open(t, o)
			run := func() error {
				_, err := h.Run(t.Context(), host.Command{Args: []string{"true"}})
				return err
			}
			if err := run(); !errors.Is(err, host.ErrRefused) {
				t.Errorf("without the key: %v, want %v", err, host.ErrRefused)
			}
			keys := filepath.Join(gateServer.Dir(), "keys", "root")
			if err := os.WriteFile(keys, ssh.MarshalAuthorizedKey(late.PublicKey()), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := run(); !errors.Is(err, host.ErrRefused) { // each method is tried once
				t.Errorf("before the reset: %v, want %v", err, host.ErrRefused)
			}
			reset(h, gate)
			if err := run(); err != nil {
				t.Errorf("after the reset: %v, want nil", err)
			}
		})
	}
}

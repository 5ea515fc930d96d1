package directory_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/crypto/ssh"

	"github.com/posixform/terraform-provider-posix/host"
	"github.com/posixform/terraform-provider-posix/host/sshhost"
	"github.com/posixform/terraform-provider-posix/internal/resourcetest"
	"github.com/posixform/terraform-provider-posix/internal/sshdtest"
	"github.com/posixform/terraform-provider-posix/resources/remotecmd"
)

// remoteHost returns this host, reached over SSH.
func remoteHost(t *testing.T, config sshdtest.Config) host.Host {
	t.Helper()
	key := sshdtest.NewKey(t)
	me := sshdtest.Me(key.PublicKey())
	config.Users = []sshdtest.User{me}
	s := sshdtest.Start(t, config)
	h, err := sshhost.New(sshhost.Options{
		Name: "web", Address: s.Host(), Port: s.Port(), User: me.Name,
		Auth:           sshhost.Auth{Keys: []sshhost.Key{{Path: key.File(t, "")}}},
		Trust:          sshhost.Trust{Policy: sshhost.Strict, Pinned: []string{ssh.FingerprintSHA256(s.HostKey())}},
		ConnectTimeout: time.Minute, MaxSessions: 10,
	})
	resourcetest.Must(t, err)
	t.Cleanup(func() { _ = h.Close() })
	return h
}

// TestForceDestroyKeepsMounts checks that force_destroy deletes nothing if there is a mount point below
// the directory, even that of a bind mount, or if the host does not report mount points. A
// command on the host mounts the file system, since the host may have a mount namespace of its own.
func TestForceDestroyKeepsMounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		host     func(t *testing.T) host.Host
		sftpOnly bool
	}{
		"local":          {localHost, false},
		"SFTP and shell": {func(t *testing.T) host.Host { return remoteHost(t, sshdtest.Config{}) }, false},
		"shell":          {func(t *testing.T) host.Host { return remoteHost(t, sshdtest.Config{Subsystem: sshdtest.None}) }, false},
		"SFTP": {func(t *testing.T) host.Host {
			return remoteHost(t, sshdtest.Config{Lines: []string{"ForceCommand internal-sftp"}})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, root := tt.host(t), t.TempDir()
			outside, dir := filepath.Join(root, "outside"), filepath.Join(root, "link", `a \dir`)
			resourcetest.Must(t, os.Mkdir(outside, 0o700), os.Mkdir(filepath.Join(root, "real"), 0o700), os.Symlink("real", filepath.Join(root, "link")))
			first, mounted := filepath.Join(dir, "first"), filepath.Join(dir, "sub", "mnt")
			for _, mount := range [][]string{{"mount", "-t", "tmpfs", "-o", "size=64k", "none", mounted}, {"mount", "--bind", outside, mounted}} {
				d := resourcetest.NewObject(t, resourcetest.NewOn(t, types, h), "posix_directory")
				d.Apply(attrs{"path": str(dir), "force_destroy": cty.True})
				resourcetest.Must(t, os.MkdirAll(mounted, 0o700))
				precious := filepath.Join(mounted, "precious")
				unmount := func() error { return nil }
				if !tt.sftpOnly {
					if _, err := remotecmd.Run(t.Context(), h, mount...); err != nil {
						t.Skipf("this user cannot mount: %v", err)
					}
					unmount = func() error { _, err := remotecmd.Run(t.Context(), h, "umount", mounted); return err }
				}
				resourcetest.WriteOn(t, h, first, "x")
				resourcetest.WriteOn(t, h, precious, "x")
				want := []string{host.QuotePath(mounted), "is a mount point", "unmount it first"}
				if tt.sftpOnly {
					want = []string{"nothing was deleted", "it is unknown whether any are mounted in " + host.QuotePath(dir) + " on host web", "Delete the content"}
				}
				resourcetest.WantError(t, d.Destroy(), "", want...)
				for _, path := range []string{precious, first} {
					if _, err := h.Lstat(t.Context(), path); err != nil {
						t.Errorf("%s: the content was deleted: %v", mount, err)
					}
				}
				resourcetest.Must(t, unmount())
				if tt.sftpOnly {
					resourcetest.Must(t, os.RemoveAll(filepath.Join(dir, "sub")), os.Remove(first))
				}
				resourcetest.NoErrors(t, d.Destroy())
				if _, err := os.Lstat(dir); !os.IsNotExist(err) {
					t.Errorf("%s: the directory exists after destroy (%v)", mount, err)
				}
			}
		})
	}
}

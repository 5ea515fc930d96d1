package sshdtest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// hide is a script that mounts new /proc, /run and /var/log. The mounts exist only in the
// namespace of its process and end with it.
const hide = `set -e
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /var/log
mkdir -m 755 /run/sshd
`

// replace is a script that mounts the files of the directory $1 over those in /etc, and
// executes the other arguments.
const replace = `for f in passwd shadow group; do mount --bind "$1/$f" "/etc/$f"; done
if [ -e /etc/sudoers ]; then mount --bind "$1/sudoers" /etc/sudoers; fi
mount --bind "$1/pam.d" /etc/pam.d
shift
exec "$@"
`

func namespaces() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		Pdeathsig:  syscall.SIGKILL, // servers end with the process of the test
	}
}

// sandbox returns an error if servers cannot have a sandbox. Only the first call checks.
var sandbox = sync.OnceValue(func() error {
	if os.Geteuid() != 0 {
		return errors.New("namespaces require root")
	}
	cmd := exec.Command("/bin/sh", "-c", hide)
	cmd.SysProcAttr = namespaces()
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("this host does not allow namespaces: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return nil
})

// command returns the command that runs sshd, in a sandbox if possible.
func (s *Server) command(args ...string) *exec.Cmd {
	if !s.sandboxed {
		cmd := exec.Command(args[0], args[1:]...) //nolint:noctx // Kill ends it
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		return cmd
	}
	script := []string{"-c", hide + replace, "sshdtest", filepath.Join(s.dir, "etc")}
	cmd := exec.Command("/bin/sh", append(script, args...)...) //nolint:noctx // Kill ends it
	cmd.SysProcAttr = namespaces()
	return cmd
}
